//! `query_target`: a name to an object on the sky.

use super::arguments;
use crate::agent::tools::{AgentTool, ToolContext, ToolError, ToolOutput, schema};
use crate::targets::{Target, TargetStatus, sexagesimal_dec, sexagesimal_ra};
use async_trait::async_trait;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;

/// Other names that the model is told.
const LISTED_ALIASES: usize = 25;

#[derive(Debug, Deserialize, JsonSchema)]
struct Arguments {
    /// Name of one object, as people write it: `TRAPPIST-1 b`, `M 31`, `SDSS J1030+0524`. Case matters for planets: `HD
    /// 209458 b` is one, `HD 209458 B` a star.
    name: String,
}

/// The tool.
pub(super) struct QueryTarget;

#[async_trait]
impl AgentTool for QueryTarget {
    fn name(&self) -> &str {
        "query_target"
    }

    fn description(&self) -> &str {
        "Resolve the name of an astronomical object with CDS Sesame (SIMBAD, NED, VizieR). Gives coordinates (ICRS and \
         galactic), object type, redshift or velocity, parallax, proper motion, spectral type and other names. Use it when a \
         question is about an object, before searching, since the literature may use another of its names. A name that is not \
         found, one that is ambiguous and a service that is down are different answers."
    }

    fn parameters(&self) -> Value {
        schema::of::<Arguments>()
    }

    fn is_concurrency_safe(&self, _args: &Value) -> bool {
        true
    }

    fn is_readonly(&self) -> bool {
        true
    }

    async fn execute(&self, args: Value, ctx: &ToolContext) -> Result<ToolOutput, ToolError> {
        let Arguments { name } = arguments(args)?;
        let target = ctx.services.targets.resolve(&name).await.map_err(|error| ToolError::tell(error.to_string()))?;
        let is_error = match target.status {
            TargetStatus::Found | TargetStatus::NotFound | TargetStatus::Ambiguous => false,
            TargetStatus::Unavailable => true,
        };
        Ok(ToolOutput { content: text(&target), is_error, metadata: Some(json!(target)) })
    }
}

fn text(target: &Target) -> String {
    let detail = target.detail.as_deref().unwrap_or_default();
    match target.status {
        TargetStatus::Found => found(target),
        TargetStatus::NotFound => format!("NOT FOUND: {detail}"),
        TargetStatus::Ambiguous => {
            let candidates = target.candidates.as_deref().unwrap_or_default();
            format!("AMBIGUOUS: {detail}\nCandidates: {}", candidates.join("; "))
        }
        TargetStatus::Unavailable => format!("SERVICE UNAVAILABLE: {detail}"),
    }
}

fn found(target: &Target) -> String {
    let mut out = target.canonical.clone().unwrap_or_else(|| target.name.clone());
    let mut line = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let _ = write!(out, "\n{name}: {value}");
        }
    };
    line("Type", target.kind.clone());
    if let (Some(ra), Some(dec)) = (target.ra_deg, target.dec_deg) {
        let position = format!("{ra:.6} {dec:+.6} deg = {} {}", sexagesimal_ra(ra), sexagesimal_dec(dec));
        line("Position (ICRS, J2000)", Some(position));
    }
    line(
        "Galactic",
        target.galactic.map(|galactic| format!("l = {:.4}, b = {:+.4} deg", galactic.l_deg, galactic.b_deg)),
    );
    line("Redshift", target.z.map(|z| z.to_string()));
    line("Radial velocity", target.velocity_kms.map(|velocity| format!("{velocity} km/s")));
    line("Parallax", target.parallax_mas.map(|parallax| format!("{parallax} mas")));
    line("Proper motion", target.pm_mas_yr.map(|pm| format!("{:+} {:+} mas/yr (RA cos Dec, Dec)", pm.ra, pm.dec)));
    line("Spectral type", target.spectral_type.clone());
    line(
        "Also known as",
        target.aliases.as_ref().map(|aliases| {
            let more = aliases.len().saturating_sub(LISTED_ALIASES);
            let listed = aliases.iter().take(LISTED_ALIASES).cloned().collect::<Vec<_>>().join("; ");
            if more > 0 { format!("{listed}; and {more} more") } else { listed }
        }),
    );
    line("Resolved by", target.resolver.clone());
    line("Note", target.detail.clone());
    let name = utf8_percent_encode(target.canonical.as_deref().unwrap_or(&target.name), NON_ALPHANUMERIC);
    line("SIMBAD", Some(format!("https://simbad.cds.unistra.fr/simbad/sim-id?Ident={name}")));
    out
}
