import type { Counter, Histogram } from "@/api/types";

export interface Metric {
  name: string;
  value: number;
  /** What else is told of it, in words and figures. */
  notes: [string, string][];
}

export interface MetricGroup {
  name: string;
  metrics: Metric[];
}

/** Labels that say how a thing ended: they split a count, and do not make it another thing. */
const ENDINGS = ["outcome", "decision"];

/** The counts of each family: one row for each thing, how its cases ended beside it. */
export function countGroups(counters: readonly Counter[]): MetricGroup[] {
  return families(counters).map(([name, series]) => {
    const rows = new Map<string, Metric>();
    for (const counter of series) {
      const { thing, ending } = split(counter.labels);
      const row = rows.get(thing) ?? { name: thing, value: 0, notes: [] };
      row.value += counter.value;
      if (ending && thing !== ending) row.notes.push([ending, String(counter.value)]);
      rows.set(thing, row);
    }
    return { name, metrics: [...rows.values()].sort((a, b) => b.value - a.value) };
  });
}

/** The mean of each histogram, in milliseconds, with how often it was measured. */
export function timeGroups(histograms: readonly Histogram[]): MetricGroup[] {
  return families(histograms.filter((each) => each.count > 0)).map(([name, series]) => ({
    name,
    metrics: series
      .map((each) => ({
        name: split(each.labels).thing,
        value: (each.sum_seconds / each.count) * 1000,
        notes: [["×", String(each.count)]] satisfies [string, string][],
      }))
      .sort((a, b) => b.value - a.value),
  }));
}

/** What a whole family adds up to; tokens do not, since cached ones are part of the input. */
export function totals(counters: readonly Counter[]): Metric[] {
  return families(counters)
    .filter(([name]) => !name.includes("tokens"))
    .map(([name, series]) => ({
      name,
      value: series.reduce((sum, counter) => sum + counter.value, 0),
      notes: [],
    }));
}

function families<T extends { name: string }>(series: readonly T[]): [string, T[]][] {
  const byName = new Map<string, T[]>();
  for (const each of series) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  return [...byName];
}

function split(labels: Readonly<Record<string, string>>): { thing: string; ending: string | null } {
  const name = ENDINGS.find((each) => labels[each] !== undefined);
  const rest = Object.entries(labels).filter(([key]) => key !== name);
  const ending = name ? (labels[name] ?? null) : null;
  // Models come before the kinds of their tokens.
  const words = rest.map(([, value]) => value).reverse();
  return { thing: words.join(" · ") || (ending ?? ""), ending };
}

/** A name for people: `almagest_tool_calls_total` is "tool calls". */
export function readable(name: string): string {
  return name
    .replace(/^almagest_/, "")
    .replace(/_total$/, "")
    .replace(/_seconds$/, "")
    .replaceAll("_", " ");
}
