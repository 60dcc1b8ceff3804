//! A scripted model that does the main job: it plans, resolves, searches, reads, keeps notes and answers.
//!
//! It works from what the tools answered, as a model would, and knows a few other phrases that the browser tests use.

use crate::model_server::{Reply, Script, last_user_text};
use serde_json::{Value, json};

/// The question that the demo is made for.
pub const QUESTION: &str = "What limits do we have on the atmosphere of TRAPPIST-1 b? Which papers report them?";

/// The model.
pub fn script() -> Script {
    Script::by(answer)
}

fn answer(request: &Value) -> Reply {
    let question = said(last_user_text(request));
    if question.starts_with("Your context is nearly full") {
        return Reply::new().text(SUMMARY);
    }
    if question.starts_with("<conversation>") {
        return remember(rounds_since_question(request));
    }
    let chinese = question.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
    let lower = question.to_lowercase();
    let rounds = rounds_since_question(request);
    if let Some(text) = question.strip_prefix("Repeat exactly: ") {
        return Reply::new().text(text);
    }
    if lower.contains("shell") {
        return shell(rounds_since_question(request));
    }
    if lower.contains("slowly") {
        return slowly();
    }
    if lower.contains("trappist") {
        return trappist(rounds, chinese);
    }
    let reply = if chinese {
        "这是一个脚本化的演示模型,它只认识一个问题:TRAPPIST-1 b 的大气层有哪些限制?"
    } else {
        "This is the scripted model of the demonstration. It knows one question: what limits are there on the atmosphere of \
         TRAPPIST-1 b?"
    };
    Reply::new().text(reply)
}

/// The user's own words, without the context that the runtime adds.
fn said(text: &str) -> &str {
    text.split("\n\n<context>").next().unwrap_or(text).trim()
}

/// How many times the model has called tools since the user spoke.
fn rounds_since_question(request: &Value) -> usize {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let after = messages.iter().rev().take_while(|message| message["role"] != "user");
    after.filter(|message| message["role"] == "assistant").count()
}

/// What leaves the context is looked through for something to keep.
fn remember(round: usize) -> Reply {
    if round > 0 {
        return Reply::new().text("Done.");
    }
    let content = "The user keeps notes on the atmosphere of TRAPPIST-1 b in notes/trappist-1b.md";
    Reply::new().call("save_memory", json!({ "content": content, "kind": "reference" }))
}

fn shell(round: usize) -> Reply {
    if round > 0 {
        return Reply::new().text("Seven wavelengths, and no way out of the workspace.");
    }
    let command =
        "for um in 0.85 1.1 1.6 2.8 5.6 12.8 15; do echo \"$um um\"; done | tee bands.txt | wc -l; cat /etc/shadow";
    Reply::new().call("run_bash", json!({ "command": command, "description": "List the bands" }))
}

fn slowly() -> Reply {
    let mut reply = Reply::new().thinking("There is no hurry.");
    for word in
        "Folding a light curve means that every time stamp is reduced modulo the period, so that all transits lie on \
                 top of each other; the period is the one value that makes them do so."
            .split_inclusive(' ')
    {
        reply = reply.text(word).delay(400);
    }
    reply
}

fn trappist(round: usize, chinese: bool) -> Reply {
    match round {
        0 => Reply::new()
            .thinking(
                "The question names one planet, so I resolve it first, and search ADS and arXiv at the same time. Secondary \
                 eclipses with MIRI and transmission spectra with NIRISS are the two kinds of evidence to look for.",
            )
            .delay(150)
            .text(if chinese {
                "我先解析目标,同时检索 ADS 与 arXiv。"
            } else {
                "I'll resolve the target and search ADS and arXiv at the same time."
            })
            .call("todo_write", plan(0))
            .call("query_target", json!({ "name": "TRAPPIST-1 b" }))
            .call("search_papers", json!({ "query": "\"TRAPPIST-1 b\" atmosphere", "limit": 8 }))
            .usage(2_180, 160, 1_920),
        1 => Reply::new()
            .text(if chinese { "阅读最相关的几篇论文的记录。" } else { "Four papers matter; I read their records." })
            .call("get_paper_metadata", json!({ "paper": "2023Natur.618...39G" }))
            .call("get_paper_metadata", json!({ "paper": "arXiv:2305.10414" }))
            .call("get_paper_metadata", json!({ "paper": "10.3847/2041-8213/acf7c4" }))
            .call("get_paper_metadata", json!({ "paper": "arXiv:2412.11627" }))
            .usage(5_420, 130, 2_180),
        2 => Reply::new()
            .thinking("Before I answer I put the notes where the user can go on from them.")
            .call("file_write", json!({ "path": "notes/trappist-1b.md", "content": NOTES }))
            .call("todo_write", plan(1))
            .usage(8_960, 210, 5_420),
        3 => Reply::new()
            .call("file_edit", json!({
                "path": "notes/trappist-1b.md",
                "old_string": "Open: 12.8 µm.",
                "new_string": "Open: the 12.8 µm eclipse, and whether a hazy CO2 atmosphere with an inversion survives it.",
            }))
            .call("todo_write", plan(2)),
        _ => {
            let text = if chinese { ANSWER_ZH } else { ANSWER };
            let mut reply = Reply::new();
            for line in text.split_inclusive('\n') {
                reply = reply.text(line).delay(25);
            }
            reply.usage(9_800, 420, 8_960)
        }
    }
}

fn plan(done: usize) -> Value {
    let item = |id: usize, content: &str| {
        let status = match id {
            _ if id <= done * 2 => "completed",
            _ if id == done * 2 + 1 => "in_progress",
            _ => "pending",
        };
        json!({ "id": id.to_string(), "content": content, "status": status })
    };
    json!({ "todos": [
        item(1, "Resolve TRAPPIST-1 b and search the literature"),
        item(2, "Read the records of the papers with measurements"),
        item(3, "Keep notes and answer with sources"),
    ] })
}

const NOTES: &str = "# TRAPPIST-1 b: atmosphere\n\n\
- Greene et al. 2023: MIRI 15 µm eclipse, brightness temperature 503 +26/-27 K, no redistribution of heat.\n\
- Ih et al. 2023: what surface pressures that allows, composition by composition.\n\
- Lim et al. 2023: NIRISS transmission spectra, dominated by stellar contamination.\n\
- Ducrot et al. 2024: 12.8 µm and 15 µm together.\n\n\
Open: 12.8 µm.\n";

const ANSWER: &str = "\
**No thick atmosphere has been found on TRAPPIST-1 b, and the thicker kinds are ruled out.** Three lines of evidence:\n\
\n\
1. **Dayside emission at 15 µm.** The secondary eclipse gives a brightness temperature of \
$T_\\mathrm{B} = 503^{+26}_{-27}\\,\\mathrm{K}$, as expected for a dark surface that does not carry heat to the night side \
([Greene et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023Natur.618...39G/abstract)).\n\
2. **Surface pressure.** Model atmospheres compared with that eclipse disfavour oxygen-dominated air with even a little \
CO$_2$ above roughly $0.1$ to $10\\,\\mathrm{bar}$, depending on its composition \
([Ih et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023ApJ...952L...4I/abstract)).\n\
3. **Transmission.** NIRISS spectra show no feature of the planet beyond the star's own spots and faculae; clear \
hydrogen-rich atmospheres are excluded ([Lim et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023ApJ...955L..22L/abstract)).\n\
\n\
The combined 12.8 and 15 µm eclipses keep two possibilities open: a bare, dark rock, or a thick hazy CO$_2$ atmosphere with a \
temperature inversion ([Ducrot et al. (2024)](https://arxiv.org/abs/2412.11627)).\n\
\n\
The zero-redistribution limit used above is\n\
\n\
$$T_\\mathrm{day} = T_\\star \\sqrt{\\frac{R_\\star}{a}}\\,\\left(\\tfrac{2}{3}\\right)^{1/4}$$\n\
\n\
| evidence | instrument | paper |\n\
|---|---|---|\n\
| eclipse, 15 µm | MIRI F1500W | Greene et al. (2023) |\n\
| eclipse, 12.8 µm | MIRI F1280W | Ducrot et al. (2024) |\n\
| transmission, 0.6 to 2.8 µm | NIRISS SOSS | Lim et al. (2023) |\n\
\n\
My notes are in `notes/trappist-1b.md`.\n";

const ANSWER_ZH: &str = "\
**目前没有在 TRAPPIST-1 b 上发现浓厚的大气层,较厚的几类大气已被排除。** 证据有三:\n\
\n\
1. **15 µm 昼侧热辐射。** 次食给出亮温度 $T_\\mathrm{B} = 503^{+26}_{-27}\\,\\mathrm{K}$,与不向夜侧输送热量的深色表面一致\
([Greene et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023Natur.618...39G/abstract))。\n\
2. **表面气压。** 与该次食比较的模型不支持含少量 CO$_2$ 的氧主导大气超过约 $0.1$ 至 $10\\,\\mathrm{bar}$\
([Ih et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023ApJ...952L...4I/abstract))。\n\
3. **透射光谱。** NIRISS 光谱只见恒星黑子与光斑的影响;无云的富氢大气被排除\
([Lim et al. (2023)](https://ui.adsabs.harvard.edu/abs/2023ApJ...955L..22L/abstract))。\n\
\n\
12.8 与 15 µm 的联合分析仍留下两种可能:裸露的深色岩石,或带逆温层的浓厚含霾 CO$_2$ 大气\
([Ducrot et al. (2024)](https://arxiv.org/abs/2412.11627))。\n\
\n\
笔记保存在 `notes/trappist-1b.md`。\n";

const SUMMARY: &str = "{\"goal\": \"Which limits there are on the atmosphere of TRAPPIST-1 b, and which papers report them\", \
    \"decisions\": [\"Eclipse depths at 12.8 and 15 µm are compared with bare rock\"], \
    \"progress\": [\"Four papers were read; the notes are in notes/trappist-1b.md\"], \
    \"next_steps\": [\"Look for the 12.8 µm eclipse\"]}";
