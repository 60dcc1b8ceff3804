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

export type Parsed = { ok: true; value: unknown } | { ok: false; detail: string };

export function parseDocument(text: string): Parsed {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
