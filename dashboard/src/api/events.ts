import type { SseFrame } from "./sse";
import type { Message, Question, Session, Todo, Usage } from "./types";

export type RunEnd = "completed" | "stopped" | "failed" | "interrupted";

export interface Progress {
  done?: number | null;
  total?: number | null;
  unit?: string | null;
  message?: string | null;
}

/** What each event carries, by its type (api.md, "Chat"). */
export interface EventPayloads {
  run_started: { run_id: string; message_ids: string[]; model?: string | null; mode?: string };
  text_delta: { delta: string };
  thinking_delta: { delta: string };
  message: { message: Message };
  usage: { usage: Usage; context_tokens?: number | null; context_window?: number | null };
  tool_call: { id: string; name: string; arguments: unknown; step?: number };
  tool_progress: { id: string; progress: Progress };
  tool_result: {
    tool_call_id: string;
    name: string;
    output: string;
    is_error: boolean;
    metadata?: unknown;
    step?: number;
  };
  question: { question: Question };
  question_closed: { id: string; status: Question["status"]; answer?: unknown };
  todo_updated: { todos: Todo[] };
  compaction: {
    layer: string;
    before_tokens: number;
    after_tokens: number;
    summary_message_id?: string | null;
    skipped_reason?: string | null;
  };
  model_switched: { from: string; to: string; reason: string };
  retrying: { attempt: number; reason: string; wait_ms: number; discard_from?: number | null };
  hook: {
    event: string;
    name: string;
    decision: string;
    ms: number;
    tool_call_id?: string | null;
    detail?: string | null;
  };
  subagent_started: { parent_tool_call_id: string; task: string };
  subagent_finished: { parent_tool_call_id: string; status: string; summary: string };
  session_updated: { session: Session };
  run_finished: {
    run_id: string;
    status: RunEnd;
    reason?: string | null;
    detail?: string | null;
  };
  error: { code: string; detail: string };
}

export type EventType = keyof EventPayloads;

/** Where an event belongs; each part is there when it applies. */
export interface EventScope {
  session_id?: string;
  run_id?: string;
  parent_tool_call_id?: string | null;
}

export type LiveEvent = {
  [T in EventType]: {
    id: number;
    type: T;
    data: EventPayloads[T] & EventScope;
    /** Milliseconds since the epoch when it arrived live; absent on replay. */
    at?: number;
  };
}[EventType];

type Check = "string" | "number" | "boolean" | "object" | "array" | "any";

/** The fields without which an event of the type cannot be used. */
const REQUIRED: { [T in EventType]: { [K in keyof EventPayloads[T]]?: Check } } = {
  run_started: { run_id: "string" },
  text_delta: { delta: "string" },
  thinking_delta: { delta: "string" },
  message: { message: "object" },
  usage: {},
  tool_call: { id: "string", name: "string" },
  tool_progress: { id: "string", progress: "object" },
  tool_result: { tool_call_id: "string" },
  question: { question: "object" },
  question_closed: { id: "string" },
  todo_updated: { todos: "array" },
  compaction: { layer: "string" },
  model_switched: { to: "string" },
  retrying: { attempt: "number" },
  hook: { name: "string" },
  subagent_started: { parent_tool_call_id: "string" },
  subagent_finished: { parent_tool_call_id: "string" },
  session_updated: { session: "object" },
  run_finished: { run_id: "string", status: "string" },
  error: { code: "string" },
};

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function fits(value: unknown, check: Check): boolean {
  if (check === "any") return true;
  if (check === "array") return Array.isArray(value);
  if (check === "object") return isRecord(value);
  return typeof value === check;
}

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(REQUIRED, type);
}

/** The numeric id of a frame: a row id, so a positive integer. Null when it carries none. */
export function frameId(frame: SseFrame): number | null {
  if (frame.id === undefined || !/^\d+$/.test(frame.id)) return null;
  return Number(frame.id);
}

export function frameData(frame: SseFrame): Record<string, unknown> | null {
  try {
    const data: unknown = JSON.parse(frame.data);
    return isRecord(data) ? data : null;
  } catch {
    return null;
  }
}

/**
 * The event in a frame, or null when it is of a type we do not know (a newer server), carries no
 * id, or lacks what its type needs: an unknown event never breaks the page.
 */
export function parseEvent(frame: SseFrame, at?: number): LiveEvent | null {
  const id = frameId(frame);
  if (id === null || !isEventType(frame.event)) return null;
  const data = frameData(frame);
  if (!data) return null;
  for (const [key, check] of Object.entries(REQUIRED[frame.event])) {
    if (!fits(data[key], check)) return null;
  }
  const event = { id, type: frame.event, data, ...(at === undefined ? {} : { at }) };
  return event as unknown as LiveEvent;
}
