import { describe, expect, it } from "vitest";
import type { AuditRow } from "@/api/types";
import { filterRows } from "@/features/audit/entry";
import { isAboutCall, parseDocument } from "@/features/hooks/document";
import { countGroups, readable, timeGroups, totals } from "@/features/metrics/shape";

const counter = (name: string, labels: Record<string, string>, value: number) => ({
  name,
  labels,
  value,
});

describe("metrics", () => {
  const counters = [
    counter("calls", { outcome: "ok", tool: "grep" }, 3),
    counter("calls", { outcome: "error", tool: "grep" }, 1),
    counter("calls", { outcome: "ok", tool: "read" }, 9),
    counter("tokens", { kind: "input", model: "a" }, 500),
    counter("tokens", { kind: "cached", model: "a" }, 400),
    counter("runs", { status: "completed" }, 2),
  ];

  it("add up what only differs in how it ended", () => {
    const [calls, tokens, runs] = countGroups(counters);
    expect(calls?.metrics).toEqual([
      { name: "read", value: 9, notes: [["ok", "9"]] },
      {
        name: "grep",
        value: 4,
        notes: [
          ["ok", "3"],
          ["error", "1"],
        ],
      },
    ]);
    expect(tokens?.metrics.map((each) => each.name)).toEqual(["a · input", "a · cached"]);
    expect(runs?.metrics).toEqual([{ name: "completed", value: 2, notes: [] }]);
  });

  it("do not add tokens up", () => {
    const all = totals(counters);
    expect(all.map((each) => [each.name, each.value])).toEqual([
      ["calls", 13],
      ["runs", 2],
    ]);
  });

  it("show the mean of what was measured, and nothing of what was not", () => {
    const time = (tool: string, count: number, sum_seconds: number) => ({
      name: "time",
      labels: { tool },
      count,
      sum_seconds,
      buckets: [],
    });
    expect(timeGroups([time("a", 4, 2), time("b", 0, 0)])).toEqual([
      { name: "time", metrics: [{ name: "a", value: 500, notes: [["×", "4"]] }] },
    ]);
    expect(readable("almagest_tool_call_duration_seconds")).toBe("tool call duration");
    expect(readable("almagest_tool_calls_total")).toBe("tool calls");
  });
});

describe("the audit", () => {
  const row = (id: string, change: Partial<AuditRow>): AuditRow => ({
    id,
    user_id: "u",
    event: "PreToolUse",
    decision: "continue",
    summary: "",
    created_at: "2026-12-01T10:00:00Z",
    ...change,
  });
  const rows = [
    row("2", { tool: "run_bash", decision: "deny" }),
    row("1", { event: "Stop", summary: "No source named" }),
  ];

  it("is filtered by every word and by event", () => {
    const ids = (words: string, event: string) =>
      filterRows(rows, words, event).map((each) => each.id);
    expect(ids("BASH den", "")).toEqual(["2"]);
    expect(ids("source", "Stop")).toEqual(["1"]);
    expect(ids("bash source", "")).toEqual([]);
    expect(ids("", "")).toEqual(["2", "1"]);
  });
});

describe("a hooks document", () => {
  it("is JSON, or it is said what is wrong with it", () => {
    expect(parseDocument("{").ok).toBe(false);
    expect(parseDocument("{}")).toEqual({ ok: true, value: {} });
  });

  it("asks for a call only where the event is about one", () => {
    expect(["PreToolUse", "PermissionRequest", "Stop"].map(isAboutCall)).toEqual([
      true,
      true,
      false,
    ]);
  });
});
