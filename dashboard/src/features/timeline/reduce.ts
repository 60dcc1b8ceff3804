import type { EventPayloads, LiveEvent } from "@/api/events";
import type { Message } from "@/api/types";
import { toConsent, toHook } from "./decisions";
import { applyMessage, lane, putTool, updateLane } from "./fold";
import { type Draft, EMPTY_TIMELINE, type Notice, type RunView, type Timeline } from "./model";

/**
 * The view after one more event. Pure: the same events give the same view, wherever the stream was
 * cut and however often an event is repeated (ids only grow, so what is not newer is a repeat).
 */
export function reduce(state: Timeline, event: LiveEvent): Timeline {
  if (event.id <= state.lastEventId) return state;
  const next = apply(state, event);
  return { ...next, lastEventId: event.id };
}

export function reduceAll(state: Timeline, events: Iterable<LiveEvent>): Timeline {
  let next = state;
  for (const event of events) next = reduce(next, event);
  return next;
}

/** The view of what is stored. Calls without a result are open only in the run that is going. */
export function fromHistory(messages: readonly Message[], activeRunId: string | null): Timeline {
  let state: Timeline = { ...EMPTY_TIMELINE, activeRunId };
  if (activeRunId) state = { ...state, runs: { [activeRunId]: newRun(activeRunId) } };
  for (const message of messages) state = applyMessage(state, message, null);
  return closeCalls(state, (runId) => runId !== activeRunId);
}

/**
 * The stored history together with the events of its newest run (from the run's beginning). The
 * events put things in order and know more than the messages; what they do not cover stays.
 */
export function fromHistoryAndEvents(
  messages: readonly Message[],
  events: readonly LiveEvent[],
  activeRunId: string | null,
): Timeline {
  if (events.length === 0) return fromHistory(messages, activeRunId);
  const covered = new Set<string>();
  const runIds = new Set<string>();
  for (const event of events) {
    if (event.type === "message") covered.add(event.data.message.id);
    // Of a run whose beginning is not among the events, the messages stand where they are.
    if (event.type === "run_started") runIds.add(event.data.run_id);
  }
  const firstOfRun = messages.findIndex((m) => covered.has(m.id) || runIds.has(m.run_id ?? ""));
  const before = firstOfRun < 0 ? messages : messages.slice(0, firstOfRun);
  const rest = firstOfRun < 0 ? [] : messages.slice(firstOfRun);
  let state = fromHistory(before, activeRunId);
  // The user's words come before the run that they began, whether or not the stream repeats them.
  const opening = new Set<string>();
  for (const message of rest) {
    if (message.role !== "user" || covered.has(message.id)) break;
    opening.add(message.id);
    state = applyMessage(state, message, null);
  }
  state = reduceAll(state, events);
  const runIsOver = (runId: string | null) =>
    runId !== activeRunId && state.runs[runId ?? ""]?.status !== "running";
  for (const message of rest) {
    if (covered.has(message.id) || opening.has(message.id)) continue;
    state = applyMessage(state, message, null);
  }
  return closeCalls(keyByMessage(state), runIsOver);
}

/** Names what was replayed as the bare history would, so that nothing on the page is made anew. */
function keyByMessage(state: Timeline): Timeline {
  const lanes = Object.entries(state.lanes).map(([parent, current]) => {
    const items = current.items.map((item) =>
      item.kind === "message" ? { ...item, key: item.message.id } : item,
    );
    return [parent, { ...current, items }];
  });
  return { ...state, lanes: Object.fromEntries(lanes) };
}

/** The context is known to be this large, until a model counts it. */
function shortened(state: Timeline, tokens: number, parent: string): Timeline {
  if (parent || !state.context) return state;
  return { ...state, context: { ...state.context, tokens } };
}

function apply(state: Timeline, event: LiveEvent): Timeline {
  const parent = event.data.parent_tool_call_id ?? "";
  const runId = event.data.run_id ?? null;
  switch (event.type) {
    case "run_started":
      return startRun(state, event.data, event.at ?? null, parent);
    case "text_delta":
    case "thinking_delta":
      return clearRetry(addDelta(state, event, parent, runId), runId);
    case "message":
      return clearRetry(
        applyMessage(
          state,
          parent && !event.data.message.parent_tool_call_id
            ? { ...event.data.message, parent_tool_call_id: parent }
            : event.data.message,
          event.at ?? null,
        ),
        runId,
      );
    case "tool_call":
      return clearRetry(addCall(state, event, parent, runId), runId);
    case "tool_progress":
      return putTool(state, event.data.id, { progress: event.data.progress });
    case "tool_result":
      return putTool(
        state,
        event.data.tool_call_id,
        {
          ...(event.data.name ? { name: event.data.name } : {}),
          status: event.data.is_error ? "error" : "ok",
          output: event.data.output ?? "",
          metadata: event.data.metadata ?? null,
          endedAt: event.at ?? null,
        },
        runId,
      );
    case "usage":
      if (parent) return state;
      return {
        ...state,
        context: {
          usage: event.data.usage ?? null,
          tokens: event.data.context_tokens ?? 0,
          window: event.data.context_window ?? 0,
        },
      };
    case "todo_updated":
      return { ...state, todos: event.data.todos };
    case "compaction":
      return addNotice(shortened(state, event.data.after_tokens, parent), event.id, parent, {
        kind: "compaction",
        layer: event.data.layer,
        before: event.data.before_tokens,
        after: event.data.after_tokens,
        skipped: event.data.skipped_reason ?? null,
        summaryId: event.data.summary_message_id ?? null,
      });
    case "model_switched":
      return addNotice(state, event.id, parent, {
        kind: "model_switched",
        from: event.data.from,
        to: event.data.to,
        reason: event.data.reason,
      });
    case "retrying":
      return retry(state, event, parent, runId);
    case "hook":
      return addHook(state, event, parent, runId);
    case "subagent_started":
      return putSubagent(state, event.data.parent_tool_call_id, {
        task: event.data.task,
        status: null,
        summary: null,
      });
    case "subagent_finished":
      return putSubagent(state, event.data.parent_tool_call_id, {
        status: event.data.status,
        summary: event.data.summary,
      });
    case "run_finished":
      return finishRun(state, event, parent);
    case "error":
      return addNotice(state, event.id, parent, {
        kind: "error",
        runId,
        code: event.data.code,
        detail: event.data.detail,
      });
    // Open questions and the session's row have a home of their own (react-query); here is kept
    // only what was decided about a call.
    case "question": {
      const { id, kind, tool_call_id } = event.data.question;
      if (kind !== "permission" || !tool_call_id) return state;
      return { ...state, asked: { ...state.asked, [id]: tool_call_id } };
    }
    case "question_closed": {
      const call = state.asked[event.data.id];
      const consent = toConsent(event.data);
      return call && consent ? putTool(state, call, { consent }, runId) : state;
    }
    case "session_updated":
      return state;
  }
}

function newRun(id: string): RunView {
  return { id, status: "running", model: null, retry: null, startedAt: null };
}

function startRun(
  state: Timeline,
  data: EventPayloads["run_started"],
  at: number | null,
  parent: string,
): Timeline {
  const run = { ...newRun(data.run_id), model: data.model ?? null, startedAt: at };
  // A run that goes on is no longer interrupted.
  const next = updateLane(state, parent, (current) => {
    const items = current.items.filter((item) => item.key !== `end-${data.run_id}`);
    return items.length === current.items.length ? current : { ...current, items };
  });
  return {
    ...next,
    runs: { ...state.runs, [data.run_id]: run },
    activeRunId: parent ? state.activeRunId : data.run_id,
  };
}

type Of<T extends LiveEvent["type"]> = Extract<LiveEvent, { type: T }>;

function emptyDraft(eventId: number, runId: string | null): Draft {
  return {
    key: `d${eventId}`,
    runId,
    parts: [],
    text: "",
    thinking: "",
    toolIds: [],
    thinkingFrom: null,
    thinkingTo: null,
  };
}

function addDelta(
  state: Timeline,
  event: Of<"text_delta" | "thinking_delta">,
  parent: string,
  runId: string | null,
): Timeline {
  const { delta } = event.data;
  const kind = event.type === "text_delta" ? "text" : "thinking";
  return updateLane(state, parent, (current) => {
    const draft = current.draft ?? emptyDraft(event.id, runId);
    const at = event.at ?? null;
    const thinking = kind === "thinking";
    return {
      ...current,
      draft: {
        ...draft,
        parts: [...draft.parts, { id: event.id, kind, delta }],
        text: thinking ? draft.text : draft.text + delta,
        thinking: thinking ? draft.thinking + delta : draft.thinking,
        thinkingFrom: thinking ? (draft.thinkingFrom ?? at) : draft.thinkingFrom,
        thinkingTo: thinking ? at : draft.thinkingTo,
      },
    };
  });
}

function addCall(
  state: Timeline,
  event: Of<"tool_call">,
  parent: string,
  runId: string | null,
): Timeline {
  const { id, name } = event.data;
  const known = state.tools[id];
  const next = putTool(
    state,
    id,
    {
      name,
      arguments: event.data.arguments ?? {},
      startedAt: event.at ?? known?.startedAt ?? null,
    },
    runId,
  );
  // Its message may have come first; then the call has its place already.
  const placed = lane(next, parent).items.some(
    (item) => item.kind === "message" && item.toolIds.includes(id),
  );
  if (placed) return next;
  return updateLane(next, parent, (current) => {
    const draft = current.draft ?? emptyDraft(event.id, runId);
    if (draft.toolIds.includes(id)) return current;
    return { ...current, draft: { ...draft, toolIds: [...draft.toolIds, id] } };
  });
}

/** A hook over a call stands with the call; any other has a line of its own. */
function addHook(
  state: Timeline,
  event: Of<"hook">,
  parent: string,
  runId: string | null,
): Timeline {
  const { tool_call_id: call } = event.data;
  const hook = toHook(event.id, event.data);
  if (!call) return addNotice(state, event.id, parent, { kind: "hook", hook });
  const known = state.tools[call]?.hooks ?? [];
  return putTool(state, call, { hooks: [...known, hook] }, runId);
}

function retry(
  state: Timeline,
  event: Of<"retrying">,
  parent: string,
  runId: string | null,
): Timeline {
  const { attempt, reason, wait_ms, discard_from } = event.data;
  let next = state;
  if (discard_from !== undefined && discard_from !== null) {
    next = updateLane(next, parent, (current) => ({
      ...current,
      draft: current.draft && discard(current.draft, discard_from),
    }));
  }
  if (!runId) return next;
  const run = next.runs[runId] ?? newRun(runId);
  const until = event.at === undefined ? null : event.at + wait_ms;
  return {
    ...next,
    runs: { ...next.runs, [runId]: { ...run, retry: { attempt, reason, waitMs: wait_ms, until } } },
  };
}

/** Drops what an abandoned attempt had said: every delta from the event `from` on. */
function discard(draft: Draft, from: number): Draft | null {
  const parts = draft.parts.filter((part) => part.id < from);
  if (parts.length === 0 && draft.toolIds.length === 0) return null;
  const join = (kind: "text" | "thinking") =>
    parts.map((part) => (part.kind === kind ? part.delta : "")).join("");
  return { ...draft, parts, text: join("text"), thinking: join("thinking") };
}

function clearRetry(state: Timeline, runId: string | null): Timeline {
  const run = runId ? state.runs[runId] : undefined;
  if (!run?.retry) return state;
  return { ...state, runs: { ...state.runs, [run.id]: { ...run, retry: null } } };
}

function addNotice(state: Timeline, eventId: number, parent: string, notice: Notice): Timeline {
  return updateLane(state, parent, (current) => ({
    ...current,
    items: [...current.items, { kind: "notice", key: `e${eventId}`, notice }],
  }));
}

function putSubagent(
  state: Timeline,
  id: string,
  change: Partial<Timeline["subagents"][string]>,
): Timeline {
  const known = state.subagents[id] ?? { task: "", status: null, summary: null };
  return { ...state, subagents: { ...state.subagents, [id]: { ...known, ...change } } };
}

function finishRun(state: Timeline, event: Of<"run_finished">, parent: string): Timeline {
  const { run_id: runId, status, reason, detail } = event.data;
  const run = state.runs[runId] ?? newRun(runId);
  let next: Timeline = {
    ...state,
    runs: { ...state.runs, [runId]: { ...run, status, retry: null } },
    activeRunId: state.activeRunId === runId ? null : state.activeRunId,
  };
  next = updateLane(next, parent, (current) => {
    const { draft } = current;
    // What was said and not stored as a message stays visible, but it no longer streams.
    if (draft && (draft.runId === runId || draft.runId === null)) {
      const item = { kind: "partial" as const, key: draft.key, draft };
      return { items: [...current.items, item], draft: null };
    }
    return current;
  });
  next = closeCalls(next, (id) => id === runId);
  if (status === "completed" && !reason) return next;
  return updateLane(next, parent, (current) => ({
    ...current,
    items: [
      ...current.items.filter(
        (item) =>
          !(
            item.kind === "notice" &&
            item.notice.kind === "error" &&
            item.notice.runId === runId &&
            item.notice.detail === detail
          ),
      ),
      {
        kind: "notice",
        key: `end-${runId}`,
        notice: { kind: "run_end", runId, status, reason: reason ?? null, detail: detail ?? null },
      },
    ],
  }));
}

/** No spinner outlives its run. */
function closeCalls(state: Timeline, over: (runId: string | null) => boolean): Timeline {
  const open = Object.values(state.tools).filter(
    (tool) => tool.status === "running" && over(tool.runId),
  );
  let next = state;
  for (const tool of open) next = putTool(next, tool.id, { status: "stopped" });
  return next;
}
