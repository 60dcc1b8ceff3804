import { describe, expect, it } from "vitest";
import type { Question } from "@/api/types";
import { newestSummary, toSummary } from "../context/record";
import { toBlocks } from "./blocks";
import { message, recorder, SESSION, stored } from "./fixture";
import { EMPTY_LANE, EMPTY_TIMELINE, MAIN, type Timeline } from "./model";
import { fromHistory, fromHistoryAndEvents, reduceAll } from "./reduce";

const blocksOf = (state: Timeline) => toBlocks(state.lanes[MAIN] ?? EMPTY_LANE);

function shape(state: Timeline) {
  return blocksOf(state).map((block) =>
    block.kind === "answer"
      ? `${block.text}${block.live ? "…" : ""}`
      : block.kind === "work"
        ? block.entries.map((entry) => (entry.kind === "tool" ? entry.toolId : "thought")).join()
        : block.kind,
  );
}

/** Calls that begin, and even end, while the answer that makes them still streams. */
function streamed() {
  const { events, emit } = recorder();
  emit("run_started", { run_id: "r1", message_ids: ["m0"] });
  emit("message", { message: message("m0", { role: "user", content: "Go" }) });
  emit("thinking_delta", { delta: "Hm." });
  emit("text_delta", { delta: "I look " });
  emit("tool_call", { id: "c1", name: "query_target", arguments: { name: "M 31" }, step: 1 });
  emit("text_delta", { delta: "and search." });
  const found = { tool_call_id: "c1", name: "query_target", output: "found", is_error: false };
  emit("tool_result", { ...found, step: 1 });
  emit("tool_call", { id: "c2", name: "search_papers", arguments: { query: "M 31" }, step: 1 });
  emit("text_delta", { delta: " Wait." });
  emit("message", {
    message: message("m1", {
      content: "I look and search. Wait.",
      thinking: "Hm.",
      tool_calls: [
        { id: "c1", name: "query_target", arguments: { name: "M 31" } },
        { id: "c2", name: "search_papers", arguments: { query: "M 31" } },
      ],
    }),
  });
  emit("tool_result", { ...found, tool_call_id: "c2", name: "search_papers", step: 1 });
  emit("text_delta", { delta: "Done." });
  emit("message", { message: message("m2", { content: "Done." }) });
  emit("run_finished", { run_id: "r1", status: "completed" });
  return events;
}

describe("calls that begin while the answer streams", () => {
  const events = streamed();

  it("stand below the words, and each once, at every moment", () => {
    const seen = events.map((_, i) => shape(reduceAll(EMPTY_TIMELINE, events.slice(0, i + 1))));
    expect(seen[4]).toEqual(["user", "thought", "I look …", "c1"]);
    expect(seen[5]).toEqual(["user", "thought", "I look and search.…", "c1"]);
    expect(seen[7]).toEqual(["user", "thought", "I look and search.…", "c1,c2"]);
    expect(seen[9]).toEqual(["user", "thought", "I look and search. Wait.", "c1,c2"]);
    expect(seen.at(-1)).toEqual(["user", "thought", "I look and search. Wait.", "c1,c2", "Done."]);
  });

  it("keep a result that came before their message", () => {
    const before = reduceAll(EMPTY_TIMELINE, events.slice(0, 9));
    expect(before.tools["c1"]).toMatchObject({ status: "ok", output: "found" });
    const after = reduceAll(EMPTY_TIMELINE, events.slice(0, 10));
    expect(after.tools["c1"]).toMatchObject({ status: "ok", output: "found" });
    expect(after.tools["c2"]?.status).toBe("running");
  });

  it("look the same wherever the page is opened", () => {
    const whole = shape(reduceAll(EMPTY_TIMELINE, events));
    for (let cut = 0; cut <= events.length; cut += 1) {
      const before = events.slice(0, cut);
      const active = cut > 0 && cut < events.length ? "r1" : null;
      const loaded = fromHistoryAndEvents(stored(before), before, active);
      expect(shape(reduceAll(loaded, events.slice(Math.max(0, cut - 2)))), `${cut}`).toEqual(whole);
    }
  });

  it("hold even when a result is all that is known of a call yet", () => {
    const { events: odd, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("tool_result", { tool_call_id: "c9", name: "grep_files", output: "x", is_error: false });
    emit("tool_call", { id: "c9", name: "grep_files", arguments: { pattern: "a" }, step: 1 });
    const state = reduceAll(EMPTY_TIMELINE, odd);
    expect(state.tools["c9"]).toMatchObject({ status: "ok", arguments: { pattern: "a" } });
    expect(shape(state)).toEqual(["c9"]);
  });
});

const QUESTION: Question = {
  id: "q1",
  session_id: SESSION,
  run_id: "r1",
  kind: "permission",
  tool_call_id: "c1",
  tool: "run_bash",
  message: "May it?",
  status: "open",
  expires_at: "2026-12-01T10:05:00Z",
};

describe("what was decided about a call", () => {
  it.each([
    ["once", { decision: "once" }, "answered", { decision: "once", comment: null }],
    [
      "a refusal",
      { decision: "deny", comment: "no" },
      "answered",
      { decision: "deny", comment: "no" },
    ],
    ["silence", undefined, "expired", { decision: "expired", comment: null }],
    ["nonsense", { decision: "perhaps" }, "answered", null],
  ] as const)("is kept with it: %s", (_name, answer, status, consent) => {
    const { events, emit } = recorder();
    emit("tool_call", { id: "c1", name: "run_bash", arguments: {}, step: 1 });
    emit("question", { question: QUESTION });
    emit("question_closed", { id: "q1", status, answer });
    expect(reduceAll(EMPTY_TIMELINE, events).tools["c1"]?.consent).toEqual(consent);
  });
});

describe("hooks", () => {
  it("stand with their call, or one after the other in a block", () => {
    const { events, emit } = recorder();
    const hook = { event: "PreToolUse", name: "h", decision: "continue", ms: 3 };
    emit("hook", { ...hook, event: "SessionStart" });
    emit("hook", { ...hook, event: "UserPromptSubmit" });
    emit("tool_call", { id: "c1", name: "run_bash", arguments: {}, step: 1 });
    emit("hook", { ...hook, decision: "block", detail: "no", tool_call_id: "c1" });
    const state = reduceAll(EMPTY_TIMELINE, events);
    expect(shape(state)).toEqual(["hooks", "c1"]);
    const [first] = blocksOf(state);
    expect(first?.kind === "hooks" && first.hooks.map((each) => each.event)).toEqual([
      "SessionStart",
      "UserPromptSubmit",
    ]);
    expect(state.tools["c1"]?.hooks).toMatchObject([{ decision: "block", detail: "no" }]);
  });
});

describe("a shortened context", () => {
  const summary = (id: string, undone = false) =>
    message(id, {
      role: "summary",
      content: "So far.",
      metadata: {
        layer: "auto",
        before_tokens: 900,
        after_tokens: 100,
        undone,
        record: { skills: [], papers: [{ bibcode: "2023Natur", title: "T" }], goal: "Aim", odd: 3 },
      },
    });

  it("is told once: by the card of its summary, or by a line without one", () => {
    const { events, emit } = recorder();
    const shortened = { layer: "auto", before_tokens: 900, after_tokens: 100 };
    emit("compaction", { ...shortened, layer: "micro" });
    emit("compaction", { ...shortened, summary_message_id: "m5" });
    expect(shape(reduceAll(EMPTY_TIMELINE, events))).toEqual(["notice", "notice"]);
    emit("message", { message: summary("m5") });
    expect(shape(reduceAll(EMPTY_TIMELINE, events))).toEqual(["notice", "summary"]);
  });

  it("can be taken back for the newest summary that holds", () => {
    const lane = (state: Timeline) => state.lanes[MAIN] ?? EMPTY_LANE;
    expect(newestSummary(EMPTY_LANE)).toBeNull();
    const both = fromHistory([summary("m1"), summary("m2")], null);
    expect(newestSummary(lane(both))?.id).toBe("m2");
    const one = fromHistory([summary("m1"), summary("m2", true)], null);
    expect(newestSummary(lane(one))?.id).toBe("m1");
  });

  it("reads the record in order and leaves out what is empty", () => {
    expect(toSummary(summary("m1"))).toEqual({
      layer: "auto",
      before: 900,
      after: 100,
      undone: false,
      parts: [
        { name: "goal", items: ["Aim"] },
        { name: "papers", items: ["T (2023Natur)"] },
        { name: "odd", items: ["3"] },
      ],
    });
    const bare = toSummary(message("m2", { role: "summary", metadata: "broken" }));
    expect(bare).toEqual({ layer: null, before: null, after: null, undone: false, parts: [] });
  });
});
