import type { AuditEntry } from "@/api/pending";

/** A row of the audit as the table shows it; the entry itself stays at hand, whole. */
export interface AuditView {
  id: string;
  time: string;
  kind: string;
  what: string;
  decision: string;
  /** Lower-case text of all of it, for the filter. */
  haystack: string;
  rest: Record<string, unknown>;
}

const KIND = ["event", "kind", "action", "type"] as const;
const WHAT = ["tool", "name", "subject"] as const;
const MORE = ["detail", "summary", "reason"] as const;
const DECISION = ["decision", "outcome", "verdict", "status"] as const;

export function toView(entry: AuditEntry): AuditView {
  const text = (names: readonly string[]) => {
    for (const name of names) {
      const value = entry[name];
      if (typeof value === "string" && value !== "") return value;
    }
    return "";
  };
  const { id, created_at, ...rest } = entry;
  return {
    id: String(id),
    time: created_at,
    kind: text(KIND),
    what: [text(WHAT), text(MORE)].filter(Boolean).join(" · "),
    decision: text(DECISION),
    haystack: JSON.stringify(rest).toLowerCase(),
    rest: Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null)),
  };
}

/** Those entries that have every word, and are of the kind, where one is chosen. */
export function filterEntries(
  entries: readonly AuditView[],
  words: string,
  kind: string,
): AuditView[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(
    (entry) =>
      (kind === "" || entry.kind === kind) && wanted.every((word) => entry.haystack.includes(word)),
  );
}
