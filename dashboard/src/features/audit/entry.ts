import type { AuditRow } from "@/api/types";

/** Those rows that have every word somewhere, and are about the event, where one is chosen. */
export function filterRows(rows: readonly AuditRow[], words: string, event: string): AuditRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    if (event !== "" && row.event !== event) return false;
    const text = [row.event, row.tool, row.decision, row.summary].join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}
