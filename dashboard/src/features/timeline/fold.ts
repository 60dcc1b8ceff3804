import { isRecord } from "@/api/events";
import type { Message } from "@/api/types";
import { EMPTY_LANE, type Item, type Lane, type Timeline, type ToolView } from "./model";

export function lane(state: Timeline, parent: string): Lane {
  return state.lanes[parent] ?? EMPTY_LANE;
}

export function updateLane(
  state: Timeline,
  parent: string,
  change: (current: Lane) => Lane,
): Timeline {
  const current = lane(state, parent);
  const next = change(current);
  if (next === current) return state;
  return { ...state, lanes: { ...state.lanes, [parent]: next } };
}

/** Merges what is new about a call into what is known of it. */
export function putTool(
  state: Timeline,
  id: string,
  change: Partial<ToolView>,
  runId?: string | null,
): Timeline {
  const known = state.tools[id] ?? {
    id,
    name: "",
    arguments: {},
    status: "running" as const,
    output: null,
    metadata: null,
    progress: null,
    runId: runId ?? null,
    messageId: null,
    startedAt: null,
    endedAt: null,
    consent: null,
    hooks: [],
  };
  // The stored message repeats the event; the richer of the two stays.
  const metadata = change.metadata ?? known.metadata;
  return { ...state, tools: { ...state.tools, [id]: { ...known, ...change, metadata } } };
}

/** Puts a stored message in its place: after what is there, or over its older self. */
export function applyMessage(state: Timeline, message: Message, at: number | null): Timeline {
  const parent = message.parent_tool_call_id ?? "";
  if (message.role === "tool") return applyResult(state, message, at);
  if (message.queued) return enqueue(state, message);
  let next = dequeue(state, message.id);
  const calls = message.tool_calls ?? [];
  for (const call of calls) {
    const known = next.tools[call.id];
    next = putTool(
      next,
      call.id,
      {
        name: call.name,
        arguments: call.arguments ?? {},
        startedAt: known?.startedAt ?? at ?? milliseconds(message.created_at),
      },
      message.run_id ?? null,
    );
  }
  return updateLane(next, parent, (current) => {
    // Only a model's answer ends its step: a message the user sends meanwhile does not.
    const answer = message.role === "assistant";
    const live = answer && sameRun(current.draft?.runId, message.run_id) ? current.draft : null;
    // A stopped answer may be stored after its run was over: then it takes the partial's place.
    const partial = current.items.find(
      (item) => answer && item.kind === "partial" && item.draft.runId === message.run_id,
    );
    const draft = live ?? (partial?.kind === "partial" ? partial.draft : null);
    const toolIds = [
      ...calls.map((call) => call.id),
      ...(draft?.toolIds.filter((id) => !calls.some((call) => call.id === id)) ?? []),
    ];
    const index = current.items.findIndex(
      (item) => item === partial || (item.kind === "message" && item.message.id === message.id),
    );
    const old = current.items[index];
    const item: Item = {
      kind: "message",
      key: old?.key ?? draft?.key ?? message.id,
      draftKey: draft?.key ?? (old?.kind === "message" ? old.draftKey : null),
      message,
      toolIds,
      thinkingMs: thinkingTime(message, draft?.thinkingFrom, draft?.thinkingTo),
    };
    const items = old
      ? current.items.map((each, i) => (i === index ? item : each))
      : [...current.items, item];
    return { items, draft: live ? null : current.draft };
  });
}

/** A message that waits has no place in the timeline yet; an edit replaces its older self. */
function enqueue(state: Timeline, message: Message): Timeline {
  const known = state.queue.some((each) => each.id === message.id);
  const queue = known
    ? state.queue.map((each) => (each.id === message.id ? message : each))
    : [...state.queue, message];
  return { ...state, queue };
}

export function dequeue(state: Timeline, id: string): Timeline {
  if (!state.queue.some((each) => each.id === id)) return state;
  return { ...state, queue: state.queue.filter((each) => each.id !== id) };
}

function applyResult(state: Timeline, message: Message, at: number | null): Timeline {
  const id = message.tool_call_id;
  if (!id) return state;
  const known = state.tools[id];
  return putTool(
    state,
    id,
    {
      status: message.is_error ? "error" : "ok",
      output: message.content,
      metadata: message.metadata ?? null,
      messageId: message.id,
      endedAt: known?.endedAt ?? at ?? milliseconds(message.created_at),
    },
    message.run_id ?? null,
  );
}

function sameRun(a: string | null | undefined, b: string | null | undefined): boolean {
  return !a || !b || a === b;
}

function milliseconds(time: string): number | null {
  const value = Date.parse(time);
  return Number.isNaN(value) ? null : value;
}

function thinkingTime(
  message: Message,
  from: number | null | undefined,
  to: number | null | undefined,
): number | null {
  if (isRecord(message.metadata)) {
    const stored = message.metadata["thinking_ms"];
    if (typeof stored === "number") return stored;
  }
  return from && to && to > from ? to - from : null;
}
