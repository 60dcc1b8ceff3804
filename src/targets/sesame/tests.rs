use super::*;
use rstest::rstest;

fn answer(inner: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?><Sesame><Target option=\"SNV\"><name>x</name>{inner}</Target></Sesame><!-- done -->"
    )
}

const STAR: &str = "<Resolver name=\"S=Simbad (CDS, via client/server)\"><otype>**</otype><jradeg>113.649471640</jradeg>\
    <jdedeg>+31.888282216</jdedeg><pm><v>240.5</v><pmRA>-191.45</pmRA><epmRA>3.95</epmRA><pmDE>-145.19</pmDE></pm>\
    <plx><v>64.12</v><e>3.75</e></plx><Vel><v>5.40</v></Vel><z><v>1.8E-05</v></z><spType>A1V+A2Vm</spType>\
    <oname>* alf  Gem</oname><alias>HD  60178</alias></Resolver>";

#[test]
fn a_found_object_has_all_that_was_sent() {
    let target = read("castor", &answer(STAR)).unwrap();
    assert_eq!(target.status, TargetStatus::Found);
    assert_eq!(target.canonical.as_deref(), Some("* alf Gem"));
    assert_eq!((target.ra_deg, target.dec_deg), (Some(113.649_471_64), Some(31.888_282_216)));
    assert_eq!(target.pm_mas_yr, Some(ProperMotion { ra: -191.45, dec: -145.19 }));
    assert_eq!((target.parallax_mas, target.velocity_kms, target.z), (Some(64.12), Some(5.4), Some(1.8e-5)));
    assert_eq!(target.aliases, Some(vec!["HD 60178".to_owned()]));
    assert_eq!(target.resolver.as_deref(), Some("SIMBAD"));
    assert_eq!(target.spectral_type.as_deref(), Some("A1V+A2Vm"));
}

#[test]
fn simbad_is_preferred_and_a_block_without_a_sane_position_is_passed_over() {
    let vizier = "<Resolver name=\"V=VizieR (local)\"><jradeg>1.0</jradeg><jdedeg>2.0</jdedeg></Resolver>";
    let target = read("x", &answer(&format!("{vizier}{STAR}"))).unwrap();
    assert_eq!(target.resolver.as_deref(), Some("SIMBAD"));
    let broken = "<Resolver name=\"S=Simbad\"><jradeg>400</jradeg><jdedeg>NaN</jdedeg></Resolver>";
    let target = read("x", &answer(&format!("{broken}{vizier}"))).unwrap();
    assert_eq!(target.resolver.as_deref(), Some("VizieR"));
    assert!(target.detail.unwrap().contains("rounded"));
}

#[rstest]
#[case("<INFO>*** Nothing found ***</INFO>", Ok(TargetStatus::NotFound))]
#[case("<Resolver name=\"N=NED\"><INFO>*** Nothing found ***</INFO></Resolver>", Ok(TargetStatus::NotFound))]
#[case("", Ok(TargetStatus::NotFound))]
#[case(
    "<Resolver name=\"S=Simbad\"><INFO>Multiple objects</INFO><alias>V* S Mon</alias></Resolver>",
    Ok(TargetStatus::Ambiguous)
)]
#[case("<Resolver name=\"S=Simbad\"><ERROR>connection refused</ERROR></Resolver>", Err(()))]
#[case("<INFO>something new</INFO>", Err(()))]
fn messages_tell_the_outcomes_apart(#[case] inner: &str, #[case] expected: Result<TargetStatus, ()>) {
    let outcome = read("x", &answer(inner)).map(|target| target.status).map_err(|_| ());
    assert_eq!(outcome, expected);
}

#[test]
fn what_is_no_answer_says_nothing_about_the_name() {
    for body in ["", "<html><body>503</body></html>", "<Sesame></Sesame>", "<!DOCTYPE x [<!ENTITY a 'b'>]><Sesame/>"] {
        assert!(read("x", body).is_err(), "{body}");
    }
}

#[test]
fn a_plus_is_sent_as_a_plus() {
    let mirror = "https://cds.unistra.fr/cgi-bin/nph-sesame".parse().unwrap();
    let url = address(&mirror, "J1030+0524 & co").unwrap();
    assert_eq!(url.as_str(), "https://cds.unistra.fr/cgi-bin/nph-sesame/-oxIF/SNV?J1030%2B0524%20%26%20co");
}
