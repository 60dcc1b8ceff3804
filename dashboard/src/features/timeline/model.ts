import type { Progress, RunEnd } from "@/api/events";
import type { Decision, Message, Todo, Usage } from "@/api/types";

export type ToolStatus = "running" | "ok" | "error" | "stopped";

/** One tool call as far as it is known. Times are milliseconds since the epoch. */
export interface ToolView {
  id: string;
  name: string;
  arguments: unknown;
  status: ToolStatus;
  output: string | null;
  metadata: unknown;
  progress: Progress | null;
  runId: string | null;
  /** The stored message that holds the result, once there is one. */
  messageId: string | null;
  startedAt: number | null;
  endedAt: number | null;
  /** What the user said when the call asked for permission. */
  consent: Consent | null;
  hooks: readonly HookView[];
}

export interface Consent {
  decision: Decision | "expired";
  comment: string | null;
}

/** A hook that has run, over a call or over the run as a whole. */
export interface HookView {
  key: string;
  event: string;
  name: string;
  decision: string;
  detail: string | null;
  ms: number;
}

/** What a model step has said so far, until its stored message replaces it. */
export interface Draft {
  /** Stable while the step streams, and after it: made of the first event's id. */
  key: string;
  runId: string | null;
  parts: readonly DraftPart[];
  text: string;
  thinking: string;
  toolIds: readonly string[];
  thinkingFrom: number | null;
  thinkingTo: number | null;
}

export interface DraftPart {
  id: number;
  kind: "text" | "thinking";
  delta: string;
}

export type Notice =
  | { kind: "run_end"; runId: string; status: RunEnd; reason: string | null; detail: string | null }
  | { kind: "error"; runId: string | null; code: string; detail: string }
  | { kind: "model_switched"; from: string; to: string; reason: string }
  | {
      kind: "compaction";
      layer: string;
      before: number;
      after: number;
      skipped: string | null;
      summaryId: string | null;
    }
  | { kind: "hook"; hook: HookView };

export type Item =
  | {
      kind: "message";
      key: string;
      /** The key of the draft that it replaced, if it was seen streaming. */
      draftKey: string | null;
      message: Message;
      toolIds: readonly string[];
      thinkingMs: number | null;
    }
  | { kind: "partial"; key: string; draft: Draft }
  | { kind: "notice"; key: string; notice: Notice };

/** The main timeline, or that of one sub-agent. */
export interface Lane {
  items: readonly Item[];
  draft: Draft | null;
}

export interface RunView {
  id: string;
  status: "running" | RunEnd;
  model: string | null;
  retry: { attempt: number; reason: string; waitMs: number; until: number | null } | null;
  startedAt: number | null;
}

export interface Timeline {
  lastEventId: number;
  /** By the tool call they belong to; the main one under "". */
  lanes: Readonly<Record<string, Lane>>;
  tools: Readonly<Record<string, ToolView>>;
  runs: Readonly<Record<string, RunView>>;
  subagents: Readonly<
    Record<string, { task: string; status: string | null; summary: string | null }>
  >;
  activeRunId: string | null;
  /** Which call each question of the run was about, so that its answer finds the call. */
  asked: Readonly<Record<string, string>>;
  context: { usage: Usage | null; tokens: number; window: number } | null;
  todos: readonly Todo[];
  /** What the user has said meanwhile and no model call has taken up yet, oldest first. */
  queue: readonly Message[];
}

export const MAIN = "";
export const EMPTY_LANE: Lane = { items: [], draft: null };

export const EMPTY_TIMELINE: Timeline = {
  lastEventId: 0,
  lanes: { [MAIN]: EMPTY_LANE },
  tools: {},
  runs: {},
  subagents: {},
  activeRunId: null,
  asked: {},
  context: null,
  todos: [],
  queue: [],
};
