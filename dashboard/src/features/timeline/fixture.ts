import type { EventPayloads, EventScope, EventType, LiveEvent } from "@/api/events";
import type { Message } from "@/api/types";

/** A run as the server tells it, for tests: two runs, calls, a retry, a queued message, a child. */
export const SESSION = "s1";

export function message(id: string, change: Partial<Message>): Message {
  return {
    id,
    session_id: SESSION,
    run_id: "r1",
    role: "assistant",
    content: "",
    created_at: "2026-12-01T10:00:00Z",
    ...change,
  };
}

export function recorder(firstId = 100) {
  const events: LiveEvent[] = [];
  let id = firstId;
  const emit = <T extends EventType>(
    type: T,
    data: EventPayloads[T],
    scope: Partial<EventScope> = {},
  ) => {
    // Ids grow with gaps, since other sessions have events too.
    id += 1 + (id % 3);
    const event = { id, type, data: { session_id: SESSION, run_id: "r1", ...data, ...scope } };
    events.push(event as unknown as LiveEvent);
    return id;
  };
  return { events, emit };
}

const SUB = { parent_tool_call_id: "c4" };

export function wholeRun(): LiveEvent[] {
  const { events, emit } = recorder();
  const old = { run_id: "r0" };
  emit("run_started", { run_id: "r0", message_ids: ["m0"], model: "a" });
  emit(
    "message",
    { message: message("m0", { role: "user", content: "First?", run_id: "r0" }) },
    old,
  );
  emit("text_delta", { delta: "Yes." }, old);
  emit("message", { message: message("m1", { content: "Yes.", run_id: "r0" }) }, old);
  emit("run_finished", { run_id: "r0", status: "completed" }, old);

  emit("run_started", { run_id: "r1", message_ids: ["m2"], model: "b" });
  emit("message", { message: message("m2", { role: "user", content: "Second?" }) });
  emit("thinking_delta", { delta: "Let me " });
  emit("thinking_delta", { delta: "see." });
  const from = emit("text_delta", { delta: "A broken " });
  emit("text_delta", { delta: "attempt" });
  emit("retrying", { attempt: 2, reason: "503", wait_ms: 1000, discard_from: from });
  emit("text_delta", { delta: "I look it up." });
  emit("tool_call", { id: "c1", name: "query_target", arguments: { name: "M 31" }, step: 1 });
  emit("tool_call", { id: "c2", name: "search_papers", arguments: { query: "M 31" }, step: 1 });
  const calls = [
    { id: "c1", name: "query_target", arguments: { name: "M 31" } },
    { id: "c2", name: "search_papers", arguments: { query: "M 31" } },
  ];
  emit("tool_progress", { id: "c2", progress: { done: 1, total: 2, unit: "sources" } });
  emit("message", {
    message: message("m3", {
      content: "I look it up.",
      thinking: "Let me see.",
      tool_calls: calls,
    }),
  });
  const result = { tool_call_id: "c1", name: "query_target", output: "found", is_error: false };
  emit("tool_result", { ...result, metadata: { status: "found" }, step: 1 });
  emit("message", {
    message: message("m4", {
      role: "tool",
      tool_call_id: "c1",
      content: "found",
      metadata: { status: "found" },
    }),
  });
  emit("message", { message: message("m5", { role: "user", content: "And M 33?" }) });
  emit("tool_result", {
    ...result,
    tool_call_id: "c2",
    name: "search_papers",
    output: "down",
    is_error: true,
  });
  emit("message", {
    message: message("m6", { role: "tool", tool_call_id: "c2", content: "down", is_error: true }),
  });
  const usage = { input_tokens: 10, output_tokens: 5, cached_tokens: 0 };
  emit("usage", { usage, context_tokens: 900, context_window: 1000 });
  emit("tool_call", { id: "c4", name: "subagent", arguments: { task: "dig" }, step: 2 });
  emit("subagent_started", { parent_tool_call_id: "c4", task: "dig" });
  emit("text_delta", { delta: "digging" }, SUB);
  emit(
    "message",
    { message: message("m7", { content: "digging", parent_tool_call_id: "c4" }) },
    SUB,
  );
  emit("subagent_finished", { parent_tool_call_id: "c4", status: "completed", summary: "gold" });
  emit("message", {
    message: message("m8", {
      tool_calls: [{ id: "c4", name: "subagent", arguments: { task: "dig" } }],
    }),
  });
  emit("tool_result", { ...result, tool_call_id: "c4", name: "subagent", output: "gold", step: 2 });
  emit("message", {
    message: message("m9", { role: "tool", tool_call_id: "c4", content: "gold" }),
  });
  emit("model_switched", { from: "b", to: "c", reason: "overload" });
  emit("todo_updated", { todos: [{ id: "1", content: "look", status: "completed" }] });
  emit("text_delta", { delta: "The distance " });
  emit("text_delta", { delta: "is 0.78 Mpc." });
  emit("message", {
    message: message("m10", { content: "The distance is 0.78 Mpc.", model: "c" }),
  });
  emit("run_finished", { run_id: "r1", status: "completed" });
  return events;
}

/** The messages that the server has stored once it has sent these events. */
export function stored(events: readonly LiveEvent[]): Message[] {
  return events.flatMap((event) => (event.type === "message" ? [event.data.message] : []));
}
