//! Recorded answers of real providers, whole and cut at every byte.
//!
//! The recordings are not part of this repository; without them these tests say that they were skipped.

use almagest::config::Provider;
use almagest::llm::reader::Reader;
use almagest::llm::types::{Finish, ModelErrorKind, ModelEvent};
use almagest::llm::{Endpoint, Foreign};
use pretty_assertions::assert_eq;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if root.join("llm").is_dir() {
        return Some(root);
    }
    eprintln!("skipped: there is no {}", root.join("llm").display());
    None
}

/// The recordings: their names and the bytes as they were on the wire.
fn recordings() -> BTreeMap<String, Vec<u8>> {
    let Some(root) = corpus() else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root.join("llm")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = fs::read(&path).unwrap();
        // These keep one payload a line, without the frame.
        let bytes = if name.ends_with(".chunks.txt") {
            let lines = String::from_utf8(bytes).unwrap();
            lines
                .lines()
                .filter(|line| !line.is_empty())
                .map(|line| format!("data: {line}\n\n"))
                .collect::<String>()
                .into()
        } else {
            bytes
        };
        found.insert(name, bytes);
    }
    assert!(found.len() > 50, "the corpus is smaller than it was");
    found
}

fn endpoint() -> Endpoint {
    Endpoint::new(&"https://llm.example.org/v1".parse().unwrap(), "m", None)
}

/// The format that a recording is in, or would be read as.
fn provider(name: &str) -> Provider {
    if name.starts_with("anthropic-") { Provider::Anthropic } else { Provider::OpenAi }
}

fn read<'a>(name: &str, parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    read_as(provider(name), parts)
}

fn read_as<'a>(provider: Provider, parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<ModelEvent> {
    let mut reader = Reader::new(endpoint(), provider);
    let mut events: Vec<ModelEvent> = parts.into_iter().flat_map(|part| reader.feed(part)).collect();
    events.extend(reader.end());
    events
}

fn is_foreign(name: &str) -> bool {
    ["gemini-", "openai-responses-", "ollama-parallel", "ollama-text"].iter().any(|it| name.starts_with(it))
}

fn is_error(name: &str) -> bool {
    name.contains("-error-")
}

/// What the manifest counts: text, reasoning, calls, and how it ended.
#[derive(Debug, Default, PartialEq)]
struct Counted {
    text: usize,
    reasoning: usize,
    calls: Vec<String>,
    finish: Option<Finish>,
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

fn count(events: &[ModelEvent]) -> Counted {
    let mut counted = Counted::default();
    for event in events {
        match event {
            ModelEvent::Text(text) => counted.text += text.chars().count(),
            ModelEvent::Thinking(text) => counted.reasoning += text.chars().count(),
            ModelEvent::Call(call) => counted.calls.push(format!("{}({})", call.name, call.arguments)),
            ModelEvent::Usage(usage) => {
                (counted.input_tokens, counted.output_tokens) = (Some(usage.input_tokens), Some(usage.output_tokens));
            }
            ModelEvent::Finished(finish) => counted.finish = Some(*finish),
            ModelEvent::SealedThinking(_)
            | ModelEvent::Switched { .. }
            | ModelEvent::Retrying { .. }
            | ModelEvent::Failed(_) => {}
        }
    }
    counted
}

fn number_before(truth: &str, word: &str) -> usize {
    let words: Vec<&str> = truth.split([' ', ';']).collect();
    words.windows(3).find(|it| it[0] == word && it[2] == "chars").and_then(|it| it[1].parse().ok()).unwrap_or_default()
}

fn number_after(truth: &str, field: &str) -> Option<u64> {
    let rest = truth.split_once(&format!("\"{field}\": "))?.1;
    rest.split(|it: char| !it.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn every_stream_is_read_without_loss() {
    let Some(root) = corpus() else { return };
    let recordings = recordings();
    let manifest = fs::read_to_string(root.join("MANIFEST.tsv")).unwrap();
    let mut streams = 0;
    for line in manifest.lines().filter(|line| line.starts_with("llm/")) {
        let (path, truth) = (line.split('\t').next().unwrap(), line.rsplit('\t').next().unwrap());
        let name = path.trim_start_matches("llm/");
        // The truths about refusals and errors are told below.
        let apart = is_foreign(name)
            || name.starts_with("anthropic-")
            || name.ends_with(".json")
            || ["openrouter-refusal", "openrouter-reasoning", "groq-tool-use-failed"]
                .iter()
                .any(|it| name.starts_with(it));
        if apart {
            continue;
        }
        streams += 1;
        let counted = count(&read(name, [recordings[name].as_slice()]));
        assert_eq!(counted.text, number_before(truth, "text"), "{name}: text");
        assert_eq!(counted.reasoning, number_before(truth, "reasoning"), "{name}: reasoning");
        let called = truth
            .split(" tool call(s): ")
            .nth(1)
            .map_or(0, |calls| calls.split("; finish").next().unwrap().split(" | ").count());
        assert_eq!(counted.calls.len(), called, "{name}: calls");
        for call in &counted.calls {
            let start: String = call.chars().take(30).collect();
            assert!(truth.contains(&start), "{name}: {call}");
        }
        let cut = truth.contains("finish length") || name.starts_with("openrouter-truncated");
        let expected = match (cut, called) {
            (true, _) => Finish::Length,
            (false, 0) => Finish::Stop,
            (false, _) => Finish::ToolCalls,
        };
        assert_eq!(counted.finish, Some(expected), "{name}: finish");
        assert_eq!(counted.input_tokens, number_after(truth, "prompt_tokens"), "{name}: input tokens");
        assert_eq!(counted.output_tokens, number_after(truth, "completion_tokens"), "{name}: output tokens");
    }
    assert!(streams > 15, "only {streams} streams");
}

#[test]
fn cuts_do_not_matter() {
    for (name, bytes) in recordings() {
        let whole = read(&name, [bytes.as_slice()]);
        assert_eq!(read(&name, bytes.chunks(1)), whole, "{name}: byte by byte");
        // All boundaries at once; and in two pieces, at every place of a short recording, at some 60 places of a long one.
        let step = if bytes.len() > 3_000 { bytes.len() / 59 } else { 1 };
        for cut in (0..bytes.len()).step_by(step) {
            let (before, after) = bytes.split_at(cut);
            assert_eq!(read(&name, [before, after]), whole, "{name}: cut at {cut}");
        }
    }
}

#[test]
fn other_formats_are_named() {
    let recordings = recordings();
    for (name, bytes) in recordings.iter().filter(|(name, _)| is_foreign(name) && !is_error(name)) {
        let format = match name.split('-').next() {
            Some("gemini") => Foreign::Gemini,
            Some("ollama") => Foreign::Ollama,
            Some(_) | None => Foreign::OpenAiResponses,
        };
        for provider in [Provider::OpenAi, Provider::Anthropic] {
            let events = read_as(provider, [bytes.as_slice()]);
            assert_eq!(events, [ModelEvent::Failed(endpoint().speaks(format))], "{name}");
            let ModelEvent::Failed(error) = &events[0] else { panic!() };
            assert!(error.message.contains("unsupported format"), "{}", error.message);
        }
    }
    let pairs = [
        ("anthropic-tool-stream.sse", Provider::OpenAi, Foreign::Anthropic),
        ("venice-tool-stream.sse", Provider::Anthropic, Foreign::OpenAi),
    ];
    for (name, provider, format) in pairs {
        let Some(bytes) = recordings.get(name) else { continue };
        assert_eq!(read_as(provider, [bytes.as_slice()]), [ModelEvent::Failed(endpoint().speaks(format))], "{name}");
    }
}

/// What an Anthropic stream says, put together with nothing but its JSON.
fn said(bytes: &[u8]) -> Counted {
    let mut counted = Counted::default();
    let mut calls: Vec<(u64, String, String)> = Vec::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let Some(Ok(event)) = line.strip_prefix("data: ").map(serde_json::from_str::<serde_json::Value>) else {
            continue;
        };
        let text = |pointer: &str| event.pointer(pointer).and_then(|it| it.as_str()).unwrap_or_default();
        let index = event["index"].as_u64().unwrap_or_default();
        counted.text += text("/delta/text").chars().count();
        counted.reasoning += text("/delta/thinking").chars().count();
        match text("/type") {
            // What a spliced message had not finished is void.
            "message_start" => calls.clear(),
            "content_block_start" if text("/content_block/type") == "tool_use" => {
                calls.push((index, text("/content_block/name").to_owned(), String::new()));
            }
            "content_block_delta" => {
                if let Some((.., json)) = calls.iter_mut().find(|(at, ..)| *at == index) {
                    json.push_str(text("/delta/partial_json"));
                }
            }
            _ => {}
        }
        for usage in [&event["message"]["usage"], &event["usage"]].into_iter().filter(|usage| usage.is_object()) {
            let count = |name: &str| usage[name].as_u64();
            let parts = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"].map(count);
            if parts.iter().any(Option::is_some) {
                counted.input_tokens = Some(parts.into_iter().flatten().sum());
            }
            counted.output_tokens = count("output_tokens").or(counted.output_tokens);
        }
        counted.finish = match text("/delta/stop_reason") {
            "tool_use" => Some(Finish::ToolCalls),
            "refusal" => Some(Finish::Refused),
            "max_tokens" => Some(Finish::Length),
            "" => counted.finish,
            _ => Some(Finish::Stop),
        };
    }
    counted.calls = calls.into_iter().map(|(_, name, json)| format!("{name}({json})")).collect();
    counted
}

#[test]
fn every_anthropic_stream_is_read_without_loss() {
    let recordings = recordings();
    let streams = recordings.iter().filter(|(name, _)| name.starts_with("anthropic-") && !name.ends_with(".json"));
    let mut seen = 0;
    for (name, bytes) in streams {
        seen += 1;
        let events = read(name, [bytes.as_slice()]);
        assert_eq!(count(&events), said(bytes), "{name}");
        let sealed = events.iter().filter(|event| matches!(event, ModelEvent::SealedThinking(_))).count();
        assert_eq!(sealed, usize::from(name.contains("spliced")), "{name}: signed thinking");
    }
    assert!(recordings.is_empty() || seen >= 7, "only {seen}");
}

#[test]
fn anthropic_bodies_are_read() {
    let recordings = recordings();
    let expected: &[(&str, &[&str], Finish)] = &[
        ("anthropic-parallel-tool-use.json", &["lookup_harbor_label()", "lookup_orchard_label()"], Finish::ToolCalls),
        ("anthropic-web-fetch-error.json", &[], Finish::Stop),
    ];
    for (name, calls, finish) in expected {
        let Some(bytes) = recordings.get(*name) else { continue };
        let counted = count(&read(name, [bytes.as_slice()]));
        assert_eq!((counted.calls.as_slice(), counted.finish), (owned(calls).as_slice(), Some(*finish)), "{name}");
        assert!(counted.text > 20 && counted.input_tokens > Some(100), "{name}");
    }
}

#[test]
fn answers_that_were_not_streamed_are_read() {
    let recordings = recordings();
    let expected: &[(&str, &[&str], usize, Finish)] = &[
        (
            "deepseek-parallel-tool-calls.json",
            &["lookup_harbor_label({})", "lookup_orchard_label({})"],
            0,
            Finish::ToolCalls,
        ),
        ("deepseek-reasoner-thinking.json", &[], 1, Finish::Stop),
        (
            "deepseek-truncated-tool-args.json",
            &["file_report({\"summary\": \"Log this incident: the)"],
            0,
            Finish::Length,
        ),
        ("kimi-moonshot-tool-call.json", &["get_weather({\"city\":\"Paris\"})"], 0, Finish::ToolCalls),
        (
            "llamacpp-parallel-tool-calls.json",
            &["add({\"x\": 2, \"y\": 3})", "subtract({\"x\": 10, \"y\": 4})"],
            0,
            Finish::ToolCalls,
        ),
        (
            "ollama-cloud-openai-tool-call.json",
            &["final_result({\"city\":\"Paris\",\"country\":\"France\"})"],
            1,
            Finish::ToolCalls,
        ),
        (
            "venice-parallel-tools.json",
            &["add({\"x\": 3, \"y\": 4})", "subtract({\"x\": 10, \"y\": 2})"],
            0,
            Finish::ToolCalls,
        ),
    ];
    for (name, calls, reasons, finish) in expected {
        let Some(bytes) = recordings.get(*name) else { continue };
        let counted = count(&read(name, [bytes.as_slice()]));
        assert_eq!((counted.calls.as_slice(), counted.finish), (owned(calls).as_slice(), Some(*finish)), "{name}");
        assert_eq!(usize::from(counted.reasoning > 0), *reasons, "{name}");
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

#[test]
fn a_refusal_is_shown() {
    if let Some(bytes) = recordings().get("openrouter-refusal-stream.sse") {
        let counted = count(&read("openrouter-refusal-stream.sse", [bytes.as_slice()]));
        assert_eq!((counted.finish, counted.text > 20), (Some(Finish::Refused), true));
    }
}

#[test]
fn reasoning_under_two_names_is_heard_once() {
    if let Some(bytes) = recordings().get("openrouter-reasoning-stream.sse") {
        let counted = count(&read("openrouter-reasoning-stream.sse", [bytes.as_slice()]));
        assert_eq!((counted.text, counted.finish), (446, Some(Finish::Stop)));
        let raw = String::from_utf8_lossy(bytes);
        let said: usize = raw
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line.strip_prefix("data: ")?).ok())
            .filter_map(|chunk| Some(chunk["choices"][0]["delta"]["reasoning"].as_str()?.chars().count()))
            .sum();
        assert_eq!(counted.reasoning, said);
    }
}

#[test]
fn a_call_that_the_provider_refused_may_be_tried_again() {
    if let Some(bytes) = recordings().get("groq-tool-use-failed-stream.sse") {
        let events = read("groq-tool-use-failed-stream.sse", [bytes.as_slice()]);
        assert_eq!(count(&events).reasoning, 412);
        let Some(ModelEvent::Failed(error)) = events.last() else { panic!("{events:?}") };
        assert_eq!(error.kind, ModelErrorKind::Server);
        assert!(error.message.contains("Tool call validation failed"), "{}", error.message);
    }
}

#[test]
fn errors_are_told_apart() {
    let recordings = recordings();
    let expected: &[(&str, ModelErrorKind, &str)] = &[
        ("anthropic-error-auth-http401.json", ModelErrorKind::Authentication, "API key is invalid."),
        ("anthropic-error-unknown-model-http404.json", ModelErrorKind::Invalid, "LLM_MODEL"),
        ("deepseek-error-bad-key-http401.json", ModelErrorKind::Authentication, "Authentication Fails"),
        ("deepseek-error-unknown-model-http400.json", ModelErrorKind::Invalid, "LLM_MODEL"),
        ("gemini-error-429-retry-info.json", ModelErrorKind::RateLimited, "check your plan"),
        ("llamacpp-error-context-overflow-http400.json", ModelErrorKind::TooLong, "(2009 tokens)"),
        ("llamacpp-error-missing-key-http401.json", ModelErrorKind::Authentication, "LLM_API_KEY"),
        ("mistral-error-bad-key-http401.json", ModelErrorKind::Authentication, "Invalid API Key"),
        ("openai-error-auth-http401.json", ModelErrorKind::Authentication, "LLM_API_KEY"),
        ("openai-error-unknown-model-http400.json", ModelErrorKind::Invalid, "LLM_MODEL"),
        ("openrouter-error-body-http429.json", ModelErrorKind::RateLimited, "temporarily rate-limited upstream"),
    ];
    let seen: Vec<&String> =
        recordings.keys().filter(|name| is_error(name) && name.ends_with(".json") && !name.contains("fetch")).collect();
    assert_eq!(seen.len(), if recordings.is_empty() { 0 } else { expected.len() }, "{seen:?}");
    for (name, kind, words) in expected {
        let Some(body) = recordings.get(*name) else { continue };
        let status = if name.contains("429") { 429 } else { name[name.len() - 8..name.len() - 5].parse().unwrap() };
        let error = endpoint().refused(status, &reqwest::header::HeaderMap::new(), body);
        assert_eq!(error.kind, *kind, "{name}");
        assert!(error.message.contains(words), "{name}: {}", error.message);
    }
}
