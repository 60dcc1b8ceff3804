//! Galactic coordinates.

use super::Galactic;

/// Rotates ICRS coordinates (degrees) into the galactic system.
///
/// The pole is at α = 192.85948°, δ = +27.12825° and the north celestial pole at l = 122.93192°, the J2000 values of the
/// IAU system of 1958 (Blaauw et al. 1960, MNRAS 121, 123) as the Hipparcos catalogue fixes them for ICRS
/// (ESA SP-1200, vol. 1, section 1.5.3).
#[must_use]
pub fn galactic_from_icrs(ra_deg: f64, dec_deg: f64) -> Galactic {
    const POLE_RA: f64 = 192.859_48;
    const POLE_DEC: f64 = 27.128_25;
    const CELESTIAL_POLE_L: f64 = 122.931_92;
    let (sin_pole, cos_pole) = POLE_DEC.to_radians().sin_cos();
    let (sin_dec, cos_dec) = dec_deg.to_radians().sin_cos();
    let (sin_ra, cos_ra) = (ra_deg - POLE_RA).to_radians().sin_cos();
    let sin_b = sin_dec * sin_pole + cos_dec * cos_pole * cos_ra;
    let y = cos_dec * sin_ra;
    let x = sin_dec * cos_pole - cos_dec * sin_pole * cos_ra;
    let l_deg = (CELESTIAL_POLE_L - y.atan2(x).to_degrees()).rem_euclid(360.0);
    Galactic { l_deg, b_deg: sin_b.clamp(-1.0, 1.0).asin().to_degrees() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    // Positions and galactic coordinates as SIMBAD gives them, to its 1e-4 degrees.
    #[rstest]
    #[case::galactic_centre(266.404_99, -28.936_17, 0.0, 0.0)]
    #[case::m31(10.684_708, 41.268_75, 121.1743, -21.5733)]
    #[case::m106(184.740_083, 47.303_719, 138.3197, 68.8425)]
    #[case::sgr_a(266.416_816, -29.007_824, 359.9442, -0.0462)]
    fn known_places(#[case] ra: f64, #[case] dec: f64, #[case] l: f64, #[case] b: f64) {
        let galactic = galactic_from_icrs(ra, dec);
        let difference = (galactic.l_deg - l + 180.0).rem_euclid(360.0) - 180.0;
        assert!(difference.abs() < 2e-3 && (galactic.b_deg - b).abs() < 2e-3, "{galactic:?}");
    }

    #[test]
    fn the_pole_is_the_pole() {
        assert!((galactic_from_icrs(192.859_48, 27.128_25).b_deg - 90.0).abs() < 1e-5);
    }
}
