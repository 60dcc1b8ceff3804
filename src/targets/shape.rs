//! What a resolved name is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The four outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetStatus {
    /// One object, with coordinates.
    Found,
    /// The resolvers know no such name.
    NotFound,
    /// The name stands for several objects.
    Ambiguous,
    /// No resolver could be asked: says nothing about the name.
    Unavailable,
}

/// Galactic coordinates in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Galactic {
    /// Longitude, 0 to 360.
    pub l_deg: f64,
    /// Latitude, -90 to 90.
    pub b_deg: f64,
}

/// Proper motion in milliarcseconds a year.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ProperMotion {
    /// In right ascension, with the cosine of the declination in it.
    pub ra: f64,
    /// In declination.
    pub dec: f64,
}

/// A resolved name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Target {
    /// How it went.
    pub status: TargetStatus,
    /// The name as it was asked for, blanks collapsed.
    pub name: String,
    /// The resolver's main name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub canonical: Option<String>,
    /// Right ascension, ICRS, epoch J2000, degrees from 0 to 360.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ra_deg: Option<f64>,
    /// Declination, ICRS, epoch J2000, degrees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dec_deg: Option<f64>,
    /// The same in the galactic system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub galactic: Option<Galactic>,
    /// Object type in the resolver's own code (`Pl`, `LIN`, `G`).
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub kind: Option<String>,
    /// Redshift.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub z: Option<f64>,
    /// Heliocentric radial velocity in km/s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub velocity_kms: Option<f64>,
    /// Parallax in milliarcseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub parallax_mas: Option<f64>,
    /// Proper motion in milliarcseconds a year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub pm_mas_yr: Option<ProperMotion>,
    /// Spectral type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub spectral_type: Option<String>,
    /// Other names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub aliases: Option<Vec<String>>,
    /// What an ambiguous name may stand for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub candidates: Option<Vec<String>>,
    /// Who answered: `SIMBAD`, `NED`, `VizieR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub resolver: Option<String>,
    /// What there is to say about it: why nothing was found, how coarse the position is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub detail: Option<String>,
}

impl Target {
    /// A name without an object.
    pub(super) fn without(status: TargetStatus, name: &str, detail: impl Into<String>) -> Self {
        Self {
            status,
            name: name.to_owned(),
            canonical: None,
            ra_deg: None,
            dec_deg: None,
            galactic: None,
            kind: None,
            z: None,
            velocity_kms: None,
            parallax_mas: None,
            pm_mas_yr: None,
            spectral_type: None,
            aliases: None,
            candidates: None,
            resolver: None,
            detail: Some(detail.into()),
        }
    }
}
