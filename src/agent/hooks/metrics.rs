//! The metrics hook: counters and histograms since the server started, for the dashboard (JSON) and for Prometheus.

use super::events::{CompactTrigger, HookEvent};
use crate::llm::types::Usage;
use crate::store::runs::RunStatus;
use crate::time::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use utoipa::ToSchema;

/// Upper bounds of the buckets, in seconds.
const BUCKETS: [f64; 12] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0];
/// Label values of one family; models and tools are named from outside, and what comes later counts as `other`.
const SERIES: usize = 200;

/// Everything that is counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MetricsData {
    /// Since when.
    pub since: Timestamp,
    /// What only grows.
    pub counters: Vec<Counter>,
    /// How long things took.
    pub histograms: Vec<Histogram>,
}

/// One counter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Counter {
    /// Its Prometheus name.
    pub name: String,
    /// What tells it apart.
    pub labels: BTreeMap<String, String>,
    /// The count.
    pub value: u64,
}

/// One histogram, of durations in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Histogram {
    /// Its Prometheus name.
    pub name: String,
    /// What tells it apart.
    pub labels: BTreeMap<String, String>,
    /// How many were measured.
    pub count: u64,
    /// Their sum.
    pub sum_seconds: f64,
    /// How many took at most so long; the last bucket is `count`.
    pub buckets: Vec<Bucket>,
}

/// One bucket, cumulative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Bucket {
    /// Upper bound, in seconds.
    pub le: f64,
    /// How many are not above it.
    pub count: u64,
}

/// A name, what it means, and its labels.
struct Family {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
}

const TOOL_CALLS: Family = Family {
    name: "almagest_tool_calls_total",
    help: "Tool calls by outcome: ok, error, refused.",
    labels: &["tool", "outcome"],
};
const MODEL_CALLS: Family = Family {
    name: "almagest_model_calls_total",
    help: "Model calls by outcome: ok, error.",
    labels: &["model", "outcome"],
};
const TOKENS: Family = Family {
    name: "almagest_tokens_total",
    help: "Tokens that providers reported; cached ones are part of the input.",
    labels: &["model", "kind"],
};
const HOOK_RUNS: Family =
    Family { name: "almagest_hook_runs_total", help: "Runs of command hooks.", labels: &["event", "decision"] };
const RUNS: Family = Family { name: "almagest_runs_total", help: "Runs that ended.", labels: &["status"] };
const COMPACTIONS: Family =
    Family { name: "almagest_compactions_total", help: "Contexts that were made smaller.", labels: &["trigger"] };
const AUDIT_DROPPED: Family =
    Family { name: "almagest_audit_rows_dropped_total", help: "Audit rows that could not be written.", labels: &[] };
const TOOL_SECONDS: Family =
    Family { name: "almagest_tool_call_duration_seconds", help: "How long tool calls took.", labels: &["tool"] };
const MODEL_SECONDS: Family =
    Family { name: "almagest_model_call_duration_seconds", help: "How long model calls took.", labels: &["model"] };
const HOOK_SECONDS: Family =
    Family { name: "almagest_hook_duration_seconds", help: "How long command hooks took.", labels: &["event"] };

const COUNTERS: [&Family; 7] = [&TOOL_CALLS, &MODEL_CALLS, &TOKENS, &HOOK_RUNS, &RUNS, &COMPACTIONS, &AUDIT_DROPPED];
const HISTOGRAMS: [&Family; 3] = [&TOOL_SECONDS, &MODEL_SECONDS, &HOOK_SECONDS];

type Series<T> = BTreeMap<&'static str, BTreeMap<Vec<String>, T>>;

#[derive(Default)]
struct Durations {
    counts: [u64; BUCKETS.len()],
    count: u64,
    sum: f64,
}

#[derive(Default)]
struct Counts {
    counters: Series<u64>,
    histograms: Series<Durations>,
}

/// The counts of this process.
pub struct Metrics {
    since: Timestamp,
    counts: Mutex<Counts>,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOutcome {
    /// Well.
    Ok,
    /// With an error.
    Error,
    /// A hook, a rule or the user said no.
    Refused,
}

impl CallOutcome {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Refused => "refused",
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let metrics = Self { since: Timestamp::now(), counts: Mutex::default() };
        // There from the first look on, so that an alert on it works.
        metrics.audit_dropped(0);
        metrics
    }
}

impl Metrics {
    fn count(&self, family: &Family, labels: &[&str], by: u64) {
        let mut counts = self.counts.lock();
        *series(&mut counts.counters, family, labels) += by;
    }

    fn observe(&self, family: &Family, labels: &[&str], took: Duration) {
        let seconds = took.as_secs_f64();
        let mut counts = self.counts.lock();
        let durations = series(&mut counts.histograms, family, labels);
        durations.count += 1;
        durations.sum += seconds;
        for (bound, count) in BUCKETS.iter().zip(&mut durations.counts) {
            *count += u64::from(seconds <= *bound);
        }
    }

    /// A tool call has ended.
    pub(super) fn tool_call(&self, tool: &str, outcome: CallOutcome, took: Option<Duration>) {
        self.count(&TOOL_CALLS, &[tool, outcome.name()], 1);
        if let Some(took) = took {
            self.observe(&TOOL_SECONDS, &[tool], took);
        }
    }

    /// A command hook has ended.
    pub(super) fn hook_run(&self, event: HookEvent, decision: &str, took: Duration) {
        self.count(&HOOK_RUNS, &[event.name(), decision], 1);
        self.observe(&HOOK_SECONDS, &[event.name()], took);
    }

    /// A compaction has taken place.
    pub(super) fn compaction(&self, trigger: CompactTrigger) {
        let trigger = match trigger {
            CompactTrigger::Auto => "auto",
            CompactTrigger::Manual => "manual",
        };
        self.count(&COMPACTIONS, &[trigger], 1);
    }

    /// Audit rows were lost.
    pub(super) fn audit_dropped(&self, rows: u64) {
        self.count(&AUDIT_DROPPED, &[], rows);
    }

    /// A model call has ended; `usage` is absent when it failed.
    pub fn model_call(&self, model: &str, usage: Option<Usage>, took: Duration) {
        self.count(&MODEL_CALLS, &[model, if usage.is_some() { "ok" } else { "error" }], 1);
        self.observe(&MODEL_SECONDS, &[model], took);
        let Some(usage) = usage else { return };
        self.count(&TOKENS, &[model, "input"], usage.input_tokens);
        self.count(&TOKENS, &[model, "output"], usage.output_tokens);
        self.count(&TOKENS, &[model, "cached"], usage.cached_tokens);
    }

    /// A run has ended.
    pub fn run_ended(&self, status: RunStatus) {
        let status = match status {
            RunStatus::Queued => "queued",
            RunStatus::Running => "running",
            RunStatus::Waiting => "waiting",
            RunStatus::Completed => "completed",
            RunStatus::Stopped => "stopped",
            RunStatus::Failed => "failed",
            RunStatus::Interrupted => "interrupted",
        };
        self.count(&RUNS, &[status], 1);
    }

    /// All counts.
    #[must_use]
    pub fn data(&self) -> MetricsData {
        let counts = self.counts.lock();
        let (mut counters, mut histograms) = (Vec::new(), Vec::new());
        for family in COUNTERS {
            for (values, count) in counts.counters.get(family.name).into_iter().flatten() {
                counters.push(Counter { name: family.name.into(), labels: family.named(values), value: *count });
            }
        }
        for family in HISTOGRAMS {
            for (values, durations) in counts.histograms.get(family.name).into_iter().flatten() {
                let buckets = BUCKETS.iter().zip(durations.counts).map(|(le, count)| Bucket { le: *le, count });
                histograms.push(Histogram {
                    name: family.name.into(),
                    labels: family.named(values),
                    count: durations.count,
                    sum_seconds: durations.sum,
                    buckets: buckets.collect(),
                });
            }
        }
        MetricsData { since: self.since, counters, histograms }
    }

    /// The same in Prometheus' text format, version 0.0.4.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let data = self.data();
        let mut text = String::new();
        for family in COUNTERS {
            family.head(&mut text, "counter");
            for counter in data.counters.iter().filter(|counter| counter.name == family.name) {
                line(&mut text, family.name, "", &counter.labels, None, &counter.value.to_string());
            }
        }
        for family in HISTOGRAMS {
            family.head(&mut text, "histogram");
            for one in data.histograms.iter().filter(|one| one.name == family.name) {
                for bucket in &one.buckets {
                    let le = bucket.le.to_string();
                    line(&mut text, family.name, "_bucket", &one.labels, Some(&le), &bucket.count.to_string());
                }
                line(&mut text, family.name, "_bucket", &one.labels, Some("+Inf"), &one.count.to_string());
                line(&mut text, family.name, "_sum", &one.labels, None, &one.sum_seconds.to_string());
                line(&mut text, family.name, "_count", &one.labels, None, &one.count.to_string());
            }
        }
        text
    }
}

/// The series of these labels; beyond [`SERIES`] of them, the one that gathers the rest.
fn series<'a, T: Default>(all: &'a mut Series<T>, family: &Family, labels: &[&str]) -> &'a mut T {
    let known = all.entry(family.name).or_default();
    let mut key: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    if known.len() >= SERIES && !known.contains_key(&key) {
        // The first label is the one that is named from outside.
        if let Some(first) = key.first_mut() {
            "other".clone_into(first);
        }
    }
    known.entry(key).or_default()
}

impl Family {
    fn named(&self, values: &[String]) -> BTreeMap<String, String> {
        self.labels.iter().map(|label| (*label).to_owned()).zip(values.iter().cloned()).collect()
    }

    fn head(&self, text: &mut String, kind: &str) {
        // Writing to a string does not fail.
        let _ = write!(text, "# HELP {0} {1}\n# TYPE {0} {kind}\n", self.name, self.help);
    }
}

fn line(text: &mut String, name: &str, suffix: &str, labels: &BTreeMap<String, String>, le: Option<&str>, value: &str) {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    pairs.extend(le.map(|le| format!("le=\"{le}\"")));
    let labels = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
    let _ = writeln!(text, "{name}{suffix}{labels} {value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prometheus_can_read_it() {
        let metrics = Metrics::default();
        metrics.tool_call("a\"b\\c\nd", CallOutcome::Ok, Some(Duration::from_millis(300)));
        metrics.model_call(
            "m",
            Some(Usage { input_tokens: 7, output_tokens: 3, ..Usage::default() }),
            Duration::from_secs(500),
        );
        let text = metrics.prometheus();
        let sample = regex::Regex::new(
            r#"^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\[\\"n])*"(,[a-z_]+="([^"\\\n]|\\[\\"n])*")*)\})? ([0-9.]+|\+Inf)$"#,
        )
        .unwrap();
        for line in text.lines().filter(|line| !line.starts_with("# HELP ") && !line.starts_with("# TYPE ")) {
            assert!(sample.is_match(line), "{line}");
        }
        for expected in [
            "almagest_tool_calls_total{outcome=\"ok\",tool=\"a\\\"b\\\\c\\nd\"} 1\n",
            "almagest_tool_call_duration_seconds_bucket{tool=\"a\\\"b\\\\c\\nd\",le=\"0.25\"} 0\n",
            "almagest_tool_call_duration_seconds_bucket{tool=\"a\\\"b\\\\c\\nd\",le=\"0.5\"} 1\n",
            "almagest_model_call_duration_seconds_bucket{model=\"m\",le=\"120\"} 0\n",
            "almagest_model_call_duration_seconds_bucket{model=\"m\",le=\"+Inf\"} 1\n",
            "almagest_model_call_duration_seconds_sum{model=\"m\"} 500\n",
            "almagest_tokens_total{kind=\"input\",model=\"m\"} 7\n",
            "almagest_audit_rows_dropped_total 0\n",
            "# TYPE almagest_runs_total counter\n",
        ] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
    }

    #[test]
    fn names_from_outside_do_not_grow_it_without_bound() {
        let metrics = Metrics::default();
        for n in 0..10 * SERIES {
            metrics.tool_call(&format!("invented_{n}"), CallOutcome::Error, None);
        }
        let calls: Vec<Counter> = metrics.data().counters.into_iter().filter(|c| c.name == TOOL_CALLS.name).collect();
        assert_eq!(calls.len(), SERIES + 1);
        assert_eq!(calls.iter().map(|counter| counter.value).sum::<u64>(), 10 * SERIES as u64);
    }
}
