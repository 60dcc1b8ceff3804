import { isRecord } from "@/api/events";

/** The events that a hook may be for, in the order in which they come in a run. */
export const HOOK_EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PostToolUseFailure",
  "SubagentStart",
  "SubagentStop",
  "PreCompact",
  "PostCompact",
  "Notification",
  "Stop",
  "SessionEnd",
] as const;

/** Events that are about a call, and so want to know which. */
export function isAboutCall(event: string): boolean {
  return /Tool|Permission/.test(event);
}

/** The document in an answer: it may stand alone or beside what the server says about it. */
export function documentOf(answer: unknown): unknown {
  if (isRecord(answer) && "document" in answer) return answer["document"] ?? { hooks: {} };
  return answer ?? { hooks: {} };
}

export type Parsed = { ok: true; value: unknown } | { ok: false; detail: string };

export function parseDocument(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

/** One hook that a dry run has started. */
export interface DryResult {
  name: string;
  decision: string | null;
  exit: number | null;
  ms: number | null;
  stdout: string;
  stderr: string;
  detail: string | null;
}

const LISTS = ["runs", "results", "hooks", "items"] as const;

/** What a dry run tells, whatever its fields are called. */
export function toDryResults(answer: unknown): DryResult[] {
  const list = Array.isArray(answer)
    ? answer
    : isRecord(answer)
      ? LISTS.map((name) => answer[name]).find(Array.isArray)
      : undefined;
  return (list ?? []).filter(isRecord).map((each) => ({
    name: text(each["name"]) ?? text(each["command"]) ?? "",
    decision: text(each["decision"]) ?? text(each["outcome"]),
    exit: number(each["exit_code"]) ?? number(each["exit"]) ?? number(each["code"]),
    ms: number(each["ms"]) ?? number(each["duration_ms"]),
    stdout: text(each["stdout"]) ?? "",
    stderr: text(each["stderr"]) ?? "",
    detail: text(each["detail"]) ?? text(each["reason"]) ?? text(each["error"]),
  }));
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
