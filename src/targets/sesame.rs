//! CDS Sesame (<https://cds.unistra.fr/cgi-bin/Sesame>), the name resolver in front of SIMBAD, NED and VizieR.

use super::{Galactic, ProperMotion, Target, TargetStatus, galactic_from_icrs};
use crate::net::{HttpClient, Limits, NetError, Pace, StatusCode};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use roxmltree::{Document, Node, ParsingOptions};
use std::time::Duration;
use url::Url;

/// XML with all identifiers and fluxes; SIMBAD, then NED, then VizieR, stopping at the first that knows the name.
const OPTIONS: &str = "-oxIF/SNV";
/// Everything but what is safe in a query: above all `+`, which the server would read as a blank.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'*');
/// Names that are kept of a well-observed object.
const MAX_ALIASES: usize = 100;

/// Client of all mirrors.
pub(super) struct Sesame {
    http: HttpClient,
    mirrors: Vec<Url>,
    pace: Pace,
}

impl Sesame {
    pub(super) fn new(http: &HttpClient, mirrors: Vec<Url>, per_mirror: Duration, interval: Duration) -> Self {
        let http = http.trusting(&mirrors).with_limits(Limits::default().within(per_mirror).at_most(4 << 20));
        Self { http, mirrors, pace: Pace::new(interval) }
    }

    /// Asks the mirrors in turn until one answers sensibly.
    pub(super) async fn resolve(&self, name: &str) -> Target {
        let mut failures = Vec::new();
        for mirror in &self.mirrors {
            // Only the distance between requests matters; several may be under way.
            drop(self.pace.turn().await);
            match self.ask(mirror, name).await {
                Ok(target) => return target,
                Err(why) => failures.push(why),
            }
        }
        let detail = if failures.is_empty() {
            "No name resolver is configured; set SESAME_URLS.".to_owned()
        } else {
            format!(
                "No name resolver could be asked, so nothing is known about the name: {}. Try again later.",
                failures.join("; ")
            )
        };
        Target::without(TargetStatus::Unavailable, name, detail)
    }

    async fn ask(&self, mirror: &Url, name: &str) -> Result<Target, String> {
        let host = mirror.host_str().unwrap_or_default();
        let url = address(mirror, name).ok_or_else(|| format!("{host} is no usable address"))?;
        let shown = |error: NetError| error.to_string();
        let response = self.http.send_built(self.http.get(url)).await.map_err(shown)?;
        let status = response.status();
        let body = response.text().await.map_err(shown)?;
        if status != StatusCode::OK {
            return Err(format!("{host} answered with HTTP {}", status.as_u16()));
        }
        read(name, &body).map_err(|why| format!("{host} {why}"))
    }
}

/// `…/nph-sesame/-oxIF/SNV?name`: the name is the whole query, without a key.
fn address(mirror: &Url, name: &str) -> Option<Url> {
    let base = mirror.as_str().trim_end_matches('/');
    format!("{base}/{OPTIONS}?{}", utf8_percent_encode(name, ENCODED)).parse().ok()
}

/// Reads an answer.
///
/// # Errors
/// With a phrase that follows the host's name, when the answer says nothing about the name.
pub(super) fn read(name: &str, body: &str) -> Result<Target, String> {
    let options = || ParsingOptions { allow_dtd: false, nodes_limit: 200_000, ..ParsingOptions::default() };
    // Some answers lack the opening of the root element; the target's own element is whole.
    let fragment = || {
        let (start, end) = (body.find("<Target")?, body.rfind("</Target>")?);
        body.get(start..end + "</Target>".len())
    };
    let document = Document::parse_with_options(body, options())
        .or_else(|error| Document::parse_with_options(fragment().ok_or(error)?, options()))
        .map_err(|_| "sent something that is no answer of Sesame".to_owned())?;
    let target = document
        .descendants()
        .find(|node| node.has_tag_name("Target"))
        .ok_or_else(|| "sent an answer without a target in it".to_owned())?;
    let blocks: Vec<Node> = target.children().filter(|node| node.has_tag_name("Resolver")).collect();
    // SIMBAD's objects are curated and VizieR's positions coarse, whatever order the answers come in.
    for wanted in [Service::Simbad, Service::Ned, Service::Vizier] {
        let block = blocks.iter().filter(|block| Service::of(block) == Some(wanted));
        if let Some(found) = block.filter_map(|block| found(name, *block, wanted)).next() {
            return Ok(found);
        }
    }
    without_position(name, target)
}

/// The services behind Sesame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    Simbad,
    Ned,
    Vizier,
}

impl Service {
    /// From names such as `S=Simbad (CDS, via client/server)`, `Sca=Simbad …`, `N=NED`, `V=VizieR (local)`.
    fn of(block: &Node) -> Option<Self> {
        match block.attribute("name")?.chars().next()? {
            'S' => Some(Self::Simbad),
            'N' => Some(Self::Ned),
            'V' => Some(Self::Vizier),
            _ => None,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Simbad => "SIMBAD",
            Self::Ned => "NED",
            Self::Vizier => "VizieR",
        }
    }
}

/// A resolver's block is an object only when both coordinates are there and in range.
fn found(name: &str, block: Node, service: Service) -> Option<Target> {
    let ra_deg = number(block, "jradeg").filter(|ra| (0.0..360.0).contains(ra))?;
    let dec_deg = number(block, "jdedeg").filter(|dec| (-90.0..=90.0).contains(dec))?;
    let galactic: Galactic = galactic_from_icrs(ra_deg, dec_deg);
    let aliases: Vec<String> = block
        .children()
        .filter(|node| node.has_tag_name("alias"))
        .filter_map(|node| node.text().map(collapse))
        .take(MAX_ALIASES)
        .collect();
    let error_mas = number(block, "errRAmas").into_iter().chain(number(block, "errDEmas")).fold(0.0, f64::max);
    let coarse = if service == Service::Vizier {
        Some("The position is VizieR's, from a catalogue's rounded coordinates.".to_owned())
    } else if error_mas >= 10_000.0 {
        Some(format!("The position is uncertain by {:.0} arcsec.", error_mas / 1000.0))
    } else {
        None
    };
    // The schema has <Vel> in km/s for NED; SIMBAD sends <z> or <Vel> by what was measured.
    Some(Target {
        status: TargetStatus::Found,
        name: name.to_owned(),
        canonical: text(block, "oname").map(|name| collapse(&name).replace(['{', '}'], "")),
        ra_deg: Some(ra_deg),
        dec_deg: Some(dec_deg),
        galactic: Some(galactic),
        kind: text(block, "otype"),
        z: value(block, "z"),
        velocity_kms: value(block, "Vel"),
        parallax_mas: value(block, "plx"),
        pm_mas_yr: proper_motion(block),
        spectral_type: text(block, "spType"),
        aliases: Some(aliases).filter(|aliases| !aliases.is_empty()),
        candidates: None,
        resolver: Some(service.title().to_owned()),
        detail: coarse,
    })
}

/// No position: the messages tell an unknown name, an ambiguous one and a failing service apart.
fn without_position(name: &str, target: Node) -> Result<Target, String> {
    let messages: Vec<String> = target
        .descendants()
        .filter(|node| node.has_tag_name("INFO") || node.has_tag_name("WARNING") || node.has_tag_name("ERROR"))
        .filter_map(|node| node.text().map(|text| collapse(text.trim_matches(['*', ' ', '\n']))))
        .filter(|text| !text.is_empty())
        .collect();
    let says = |words: &[&str]| {
        messages.iter().find(|message| {
            let message = message.to_lowercase();
            words.iter().any(|word| message.contains(word))
        })
    };
    if let Some(message) = says(&["multiple", "ambiguous", "several objects"]) {
        let mut candidates: Vec<String> = target
            .descendants()
            .filter(|node| node.has_tag_name("oname") || node.has_tag_name("alias"))
            .filter_map(|node| node.text().map(collapse))
            .collect();
        candidates.dedup();
        candidates.truncate(MAX_ALIASES);
        let detail = format!("The name stands for several objects ({message}). Give a more exact one.");
        let candidates = Some(candidates).filter(|candidates| !candidates.is_empty());
        return Ok(Target { candidates, ..Target::without(TargetStatus::Ambiguous, name, detail) });
    }
    if let Some(message) =
        says(&["refused", "unavailable", "timeout", "timed out", "connection", "no reply", "internal error"])
    {
        return Err(format!("could not ask its resolvers ({message})"));
    }
    if says(&["nothing found", "not found", "no known"]).is_some() || messages.is_empty() {
        let detail = format!(
            "SIMBAD, NED and VizieR know no object called \"{name}\". Check the spelling, or try another designation (for \
             example a catalogue number)."
        );
        return Ok(Target::without(TargetStatus::NotFound, name, detail));
    }
    Err(format!("sent no position ({})", messages.join("; ")))
}

/// `<pm>` has the components, or in old answers the total and the position angle (east of north).
fn proper_motion(block: Node) -> Option<ProperMotion> {
    let pm = block.children().find(|node| node.has_tag_name("pm"))?;
    if let (Some(ra), Some(dec)) = (number(pm, "pmRA"), number(pm, "pmDE")) {
        return Some(ProperMotion { ra, dec });
    }
    let (total, angle) = (number(pm, "v")?, number(pm, "pa")?);
    let (sin, cos) = angle.to_radians().sin_cos();
    Some(ProperMotion { ra: total * sin, dec: total * cos })
}

/// `<z><v>0.0015</v>…</z>`.
fn value(block: Node, name: &str) -> Option<f64> {
    number(block.children().find(|node| node.has_tag_name(name))?, "v")
}

fn number(node: Node, name: &str) -> Option<f64> {
    let number: f64 = text(node, name)?.parse().ok()?;
    number.is_finite().then_some(number)
}

fn text(node: Node, name: &str) -> Option<String> {
    let text = node.children().find(|child| child.has_tag_name(name))?.text()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
