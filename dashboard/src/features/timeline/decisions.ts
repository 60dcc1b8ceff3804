import { type EventPayloads, isRecord } from "@/api/events";
import type { Consent, HookView } from "./model";

const DECISIONS: readonly string[] = ["once", "session", "always", "deny"];

/** What the user said to a call, from the event that closes the question. */
export function toConsent(closed: EventPayloads["question_closed"]): Consent | null {
  if (closed.status === "expired") return { decision: "expired", comment: null };
  const answer = isRecord(closed.answer) ? closed.answer : {};
  const { decision, comment } = answer;
  if (typeof decision !== "string" || !DECISIONS.includes(decision)) return null;
  return {
    decision: decision as Consent["decision"],
    comment: typeof comment === "string" && comment ? comment : null,
  };
}

export function toHook(eventId: number, data: EventPayloads["hook"]): HookView {
  return {
    key: `e${eventId}`,
    event: data.event ?? "",
    name: data.name,
    decision: data.decision ?? "",
    detail: data.detail ?? null,
    ms: data.ms ?? 0,
  };
}
