import { isRecord } from "@/api/events";

export interface Metric {
  name: string;
  value: number;
  /** What else is known of it, for example its mean time. */
  notes: [string, number][];
}

export interface MetricGroup {
  /** Empty for what belongs to no group. */
  name: string;
  metrics: Metric[];
}

/** Fields that count, the most telling first. */
const COUNTS = ["value", "count", "calls", "total", "runs"] as const;
/** Fields that name an entry of a list. */
const NAMES = ["name", "tool", "model", "hook", "event", "status", "metric"] as const;

/**
 * Counters by name, in groups, from whatever the server counts: numbers stand for themselves, a
 * record of numbers is a group, a list holds one metric an entry. What is no number is left out.
 */
export function toGroups(answer: unknown): MetricGroup[] {
  if (!isRecord(answer)) return [];
  const loose: Metric[] = [];
  const groups: MetricGroup[] = [];
  for (const [name, value] of Object.entries(answer)) {
    if (isNumber(value)) {
      loose.push({ name, value, notes: [] });
      continue;
    }
    const metrics = metricsOf(value);
    if (metrics.length > 0) groups.push({ name, metrics });
  }
  return loose.length > 0 ? [{ name: "", metrics: loose }, ...groups] : groups;
}

function metricsOf(value: unknown): Metric[] {
  if (Array.isArray(value)) {
    return value.filter(isRecord).flatMap((each) => {
      const name = NAMES.map((key) => each[key]).find((word) => typeof word === "string");
      return entry(typeof name === "string" ? name : "", each) ?? [];
    });
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    if (isNumber(child)) return { name, value: child, notes: [] };
    if (isRecord(child)) return entry(name, child) ?? [];
    return [];
  });
}

/** A record as one metric: its count, and its other numbers beside it. */
function entry(name: string, fields: Record<string, unknown>): Metric | null {
  const numbers = Object.entries(fields).filter((pair): pair is [string, number] =>
    isNumber(pair[1]),
  );
  const first = COUNTS.find((key) => isNumber(fields[key])) ?? numbers[0]?.[0];
  if (first === undefined) return null;
  return {
    name,
    value: fields[first] as number,
    notes: numbers.filter(([key]) => key !== first),
  };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** A name for people: `tool_calls_total` is "tool calls". */
export function readable(name: string): string {
  return name
    .replace(/_total$/, "")
    .replace(/_(ms|seconds)$/, " ($1)")
    .replaceAll("_", " ");
}
