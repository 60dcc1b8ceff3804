import { describe, expect, it } from "vitest";
import type { LiveEvent } from "@/api/events";
import { toBlocks } from "./blocks";
import { message, recorder, SESSION, stored, wholeRun } from "./fixture";
import { EMPTY_LANE, EMPTY_TIMELINE, MAIN, type Timeline } from "./model";
import { fromHistory, fromHistoryAndEvents, reduce, reduceAll } from "./reduce";

const EVENTS = wholeRun();
const WHOLE = reduceAll(EMPTY_TIMELINE, EVENTS);

/** What the reader sees: without keys, which name the place something came from. */
function seen(state: Timeline) {
  const lanes = Object.fromEntries(
    Object.entries(state.lanes).map(([id, lane]) => [
      id,
      toBlocks(lane).map((block) => {
        const { key: _key, ...rest } = block;
        if (rest.kind !== "work") return rest;
        return {
          ...rest,
          entries: rest.entries.map((entry) =>
            entry.kind === "tool"
              ? entry
              : { kind: entry.kind, text: entry.text, live: entry.live },
          ),
        };
      }),
    ]),
  );
  const tools = Object.fromEntries(
    Object.entries(state.tools).map(([id, tool]) => [
      id,
      { name: tool.name, status: tool.status, output: tool.output, metadata: tool.metadata },
    ]),
  );
  return { lanes, tools, activeRunId: state.activeRunId, context: state.context };
}

function activeRun(events: readonly LiveEvent[]): string | null {
  return reduceAll(EMPTY_TIMELINE, events).activeRunId;
}

/** What the session's stream gives without a cursor: the newest run from its beginning. */
function newestRun(events: readonly LiveEvent[]): LiveEvent[] {
  const start = events.findLastIndex((event) => event.type === "run_started");
  return start < 0 ? [] : events.slice(start);
}

describe("reduce", () => {
  it("shows the whole run in order", () => {
    const blocks = toBlocks(WHOLE.lanes[MAIN] ?? EMPTY_LANE);
    expect(
      blocks.map((block) =>
        block.kind === "work"
          ? block.entries.map((entry) => (entry.kind === "tool" ? entry.toolId : "thought")).join()
          : block.kind === "answer"
            ? block.text
            : block.kind === "user"
              ? block.message.content
              : block.kind,
      ),
    ).toEqual([
      "First?",
      "Yes.",
      "Second?",
      "thought",
      "I look it up.",
      "c1,c2",
      "And M 33?",
      "c4",
      "notice",
      "The distance is 0.78 Mpc.",
    ]);
    expect(WHOLE.tools["c1"]?.status).toBe("ok");
    expect(WHOLE.tools["c2"]?.status).toBe("error");
    expect(WHOLE.tools["c2"]?.progress).toEqual({ done: 1, total: 2, unit: "sources" });
    expect(WHOLE.subagents["c4"]).toEqual({ task: "dig", status: "completed", summary: "gold" });
    expect(toBlocks(WHOLE.lanes["c4"] ?? EMPTY_LANE)).toHaveLength(1);
    expect(WHOLE.activeRunId).toBeNull();
    expect(WHOLE.context).toMatchObject({ tokens: 900, window: 1000 });
    expect(WHOLE.todos).toHaveLength(1);
  });

  it("ignores every repeated event", () => {
    for (let cut = 1; cut <= EVENTS.length; cut += 1) {
      const state = reduceAll(EMPTY_TIMELINE, EVENTS.slice(0, cut));
      const again = reduceAll(state, EVENTS.slice(Math.max(0, cut - 7), cut));
      expect(again, `repeat before ${cut}`).toBe(state);
    }
  });

  it("does not change the state it is given", () => {
    const freeze = (value: unknown): void => {
      if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    };
    let state = EMPTY_TIMELINE;
    for (const event of EVENTS) {
      freeze(state);
      freeze(event);
      state = reduce(state, event);
    }
    expect(state).toEqual(WHOLE);
  });

  it("gives the uninterrupted view from any cut: history, the run's replay, then live", () => {
    for (let cut = 0; cut <= EVENTS.length; cut += 1) {
      const before = EVENTS.slice(0, cut);
      const loaded = fromHistoryAndEvents(stored(before), newestRun(before), activeRun(before));
      const at = reduceAll(EMPTY_TIMELINE, before);
      expect(seen(loaded).lanes, `loaded at ${cut}`).toEqual(seen(at).lanes);
      // The bus repeats a little of what the replay had.
      const rest = EVENTS.slice(Math.max(0, cut - 3));
      expect(seen(reduceAll(loaded, rest)), `resumed at ${cut}`).toEqual(seen(WHOLE));
    }
  });

  it("is right even when the history is newer than the replay's end", () => {
    const history = stored(EVENTS);
    for (let cut = 6; cut <= EVENTS.length; cut += 1) {
      const loaded = fromHistoryAndEvents(history, newestRun(EVENTS.slice(0, cut)), null);
      const resumed = reduceAll(loaded, EVENTS.slice(cut));
      const texts = (state: Timeline) =>
        toBlocks(state.lanes[MAIN] ?? EMPTY_LANE)
          .flatMap((block) => (block.kind === "answer" ? [block.text] : []))
          .sort();
      expect(texts(resumed), `cut at ${cut}`).toEqual(texts(WHOLE));
    }
  });

  it("shows the stored history alone as it was, but for what only events know", () => {
    const loaded = seen(fromHistory(stored(EVENTS), null));
    const kinds = (view: ReturnType<typeof seen>) =>
      view.lanes[MAIN]?.filter((block) => block.kind !== "notice");
    expect(kinds(loaded)).toEqual(kinds(seen(WHOLE)));
    expect(loaded.tools).toEqual(seen(WHOLE).tools);
  });

  it("drops exactly the deltas of an abandoned attempt", () => {
    const { events, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("text_delta", { delta: "kept " });
    const from = emit("text_delta", { delta: "dropped" });
    emit("thinking_delta", { delta: "dropped too" });
    emit("retrying", { attempt: 2, reason: "cut", wait_ms: 500, discard_from: from });
    const waiting = reduceAll(EMPTY_TIMELINE, events);
    expect(waiting.lanes[MAIN]?.draft).toMatchObject({ text: "kept ", thinking: "" });
    expect(waiting.runs["r1"]?.retry).toMatchObject({ attempt: 2, reason: "cut", waitMs: 500 });
    emit("text_delta", { delta: "again" });
    const after = reduceAll(EMPTY_TIMELINE, events);
    expect(after.lanes[MAIN]?.draft?.text).toBe("kept again");
    expect(after.runs["r1"]?.retry).toBeNull();
  });

  it("keeps deltas on a retry that discards nothing, and forgets an empty draft", () => {
    const { events, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    const from = emit("text_delta", { delta: "said" });
    emit("retrying", { attempt: 2, reason: "cut", wait_ms: 500 });
    expect(reduceAll(EMPTY_TIMELINE, events).lanes[MAIN]?.draft?.text).toBe("said");
    emit("retrying", { attempt: 3, reason: "cut", wait_ms: 500, discard_from: from });
    expect(reduceAll(EMPTY_TIMELINE, events).lanes[MAIN]?.draft).toBeNull();
  });

  it("ends spinners and keeps unfinished words when a run is stopped", () => {
    const { events, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("text_delta", { delta: "Half a sen" });
    emit("tool_call", { id: "c9", name: "read_file", arguments: {}, step: 1 });
    emit("run_finished", { run_id: "r1", status: "stopped" });
    const state = reduceAll(EMPTY_TIMELINE, events);
    expect(state.tools["c9"]?.status).toBe("stopped");
    expect(state.lanes[MAIN]?.draft).toBeNull();
    const blocks = toBlocks(state.lanes[MAIN] ?? EMPTY_LANE);
    expect(blocks.map((block) => block.kind)).toEqual(["answer", "work", "notice"]);
    // The stored half, should it come late, takes the place of what was shown.
    emit("message", { message: message("late", { content: "Half a sen" }) });
    const late = toBlocks(reduceAll(EMPTY_TIMELINE, events).lanes[MAIN] ?? EMPTY_LANE);
    expect(late.map((block) => block.kind)).toEqual(["answer", "work", "notice"]);
  });

  it("says once why a run failed", () => {
    const { events, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("error", { code: "upstream", detail: "no model" });
    emit("run_finished", { run_id: "r1", status: "failed", reason: "error", detail: "no model" });
    const items = reduceAll(EMPTY_TIMELINE, events).lanes[MAIN]?.items ?? [];
    expect(items.map((item) => (item.kind === "notice" ? item.notice.kind : ""))).toEqual([
      "run_end",
    ]);
  });

  it("marks calls that no run will finish any more", () => {
    const call = { id: "c1", name: "read_file", arguments: {} };
    const history = [message("m1", { tool_calls: [call] })];
    expect(fromHistory(history, null).tools["c1"]?.status).toBe("stopped");
    expect(fromHistory(history, "r1").tools["c1"]?.status).toBe("running");
  });

  it("takes a call whose message came first", () => {
    const { events, emit } = recorder();
    const call = { id: "c1", name: "read_file", arguments: { path: "a" } };
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("message", { message: message("m1", { tool_calls: [call] }) });
    emit("tool_call", { ...call, step: 1 });
    const lane = reduceAll(EMPTY_TIMELINE, events).lanes[MAIN];
    expect(lane?.draft).toBeNull();
    expect(lane?.items).toHaveLength(1);
  });

  it("keeps a message that waits apart until it is taken up", () => {
    const { events, emit } = recorder();
    const waits = message("q1", { role: "user", content: "And?", queued: true });
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("message", { message: waits });
    emit("message", { message: { ...waits, content: "And then?" } });
    const waiting = reduceAll(EMPTY_TIMELINE, events);
    expect(waiting.queue.map((each) => each.content)).toEqual(["And then?"]);
    expect(waiting.lanes[MAIN]?.items).toEqual([]);
    emit("message", { message: { ...waits, content: "And then?", queued: false } });
    const taken = reduceAll(EMPTY_TIMELINE, events);
    expect(taken.queue).toEqual([]);
    expect(taken.lanes[MAIN]?.items).toHaveLength(1);
    // The history may have been read while it still waited.
    const loaded = fromHistoryAndEvents([waits], events, "r1");
    expect(loaded.queue).toEqual([]);
    expect(fromHistory([waits], "r1").queue).toHaveLength(1);
  });

  it("takes the interruption back when the run goes on", () => {
    const { events, emit } = recorder();
    emit("run_started", { run_id: "r1", message_ids: [] });
    emit("run_finished", { run_id: "r1", status: "interrupted" });
    expect(reduceAll(EMPTY_TIMELINE, events).lanes[MAIN]?.items).toHaveLength(1);
    emit("run_started", { run_id: "r1", message_ids: [] });
    const going = reduceAll(EMPTY_TIMELINE, events);
    expect(going.lanes[MAIN]?.items).toEqual([]);
    expect(going.activeRunId).toBe("r1");
  });

  it("belongs to one session", () => {
    expect(EVENTS.every((event) => event.data.session_id === SESSION)).toBe(true);
  });
});
