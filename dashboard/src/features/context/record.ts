import { isRecord } from "@/api/events";
import type { Message } from "@/api/types";
import type { Lane } from "@/features/timeline/model";

/** One heading of a summary's record with what stands under it. */
export interface RecordPart {
  name: string;
  items: string[];
}

export interface SummaryView {
  layer: string | null;
  before: number | null;
  after: number | null;
  undone: boolean;
  parts: RecordPart[];
}

/** The order in which the known parts are read; unknown ones follow. */
const ORDER = [
  "goal",
  "constraints",
  "decisions",
  "progress",
  "next",
  "todos",
  "papers",
  "targets",
  "files",
  "background",
  "tools",
  "skills",
];

/** What a summary message says about itself; whatever is missing is just not shown. */
export function toSummary(message: Message): SummaryView {
  const meta = isRecord(message.metadata) ? message.metadata : {};
  const record = isRecord(meta["record"]) ? meta["record"] : {};
  const rank = (name: string) => {
    const at = ORDER.indexOf(name);
    return at < 0 ? ORDER.length : at;
  };
  return {
    layer: typeof meta["layer"] === "string" ? meta["layer"] : null,
    before: count(meta["before_tokens"]),
    after: count(meta["after_tokens"]),
    undone: meta["undone"] === true,
    parts: Object.entries(record)
      .map(([name, value]) => ({ name, items: lines(value) }))
      .filter((part) => part.items.length > 0)
      .sort((a, b) => rank(a.name) - rank(b.name)),
  };
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

/** A value of the record as lines of text. */
function lines(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => line(each) ?? []);
  const one = line(value);
  return one === null ? [] : [one];
}

/** The words that name an entry, and those that only add to it. */
const NAMES = ["content", "text", "title", "name", "path", "bibcode", "arxiv_id", "id"] as const;
const NOTES = ["bibcode", "arxiv_id", "status", "state", "why", "reason", "note"] as const;

function line(value: unknown): string | null {
  if (typeof value === "string") return value.trim() || null;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (!isRecord(value)) return null;
  const word = (name: string) => line(typeof value[name] === "object" ? null : value[name]);
  const name = NAMES.find((each) => word(each) !== null);
  if (!name) return JSON.stringify(value);
  const notes = NOTES.flatMap((each) => (each === name ? [] : (word(each) ?? [])));
  return [word(name), notes.length > 0 ? `(${notes.join(", ")})` : null].filter(Boolean).join(" ");
}

/** The newest summary that holds; only this one can be taken back. */
export function newestSummary(lane: Lane): Message | null {
  const item = lane.items.findLast(
    (each) =>
      each.kind === "message" && each.message.role === "summary" && !toSummary(each.message).undone,
  );
  return item?.kind === "message" ? item.message : null;
}

/** The summary as a reader wants it: without the frame that marks it for the model. */
export function summaryText(message: Message): string {
  return message.content.replace(/^\s*<summary>\s*|\s*<\/summary>\s*$/g, "");
}
