import { describe, expect, it } from "vitest";
import { filterEntries, toView } from "@/features/audit/entry";
import { documentOf, parseDocument, toDryResults } from "@/features/hooks/document";
import { readable, toGroups } from "@/features/metrics/shape";

describe("metrics", () => {
  it("are read from numbers, records and lists, and nothing else", () => {
    const groups = toGroups({
      runs: 3,
      tokens: { input: 10, output: 2, note: "x" },
      tools: { grep: { count: 4, errors: 1 }, broken: "?" },
      models: [{ model: "a", calls: 7 }, "junk", { model: "b" }],
      started: "2026",
      empty: {},
    });
    expect(groups).toEqual([
      { name: "", metrics: [{ name: "runs", value: 3, notes: [] }] },
      {
        name: "tokens",
        metrics: [
          { name: "input", value: 10, notes: [] },
          { name: "output", value: 2, notes: [] },
        ],
      },
      { name: "tools", metrics: [{ name: "grep", value: 4, notes: [["errors", 1]] }] },
      { name: "models", metrics: [{ name: "a", value: 7, notes: [] }] },
    ]);
    expect(toGroups("nothing")).toEqual([]);
    expect(readable("tool_calls_total")).toBe("tool calls");
    expect(readable("wait_seconds")).toBe("wait (seconds)");
  });
});

describe("the audit", () => {
  const entries = [
    {
      id: 2,
      created_at: "2026-12-01T10:00:00Z",
      event: "PreToolUse",
      tool: "run_bash",
      decision: "deny",
    },
    { id: 1, created_at: "2026-12-01T09:00:00Z", event: "Stop", tool: null, detail: "No source" },
  ].map(toView);

  it("shows what there is", () => {
    expect(entries[0]).toMatchObject({
      id: "2",
      kind: "PreToolUse",
      what: "run_bash",
      decision: "deny",
    });
    expect(entries[1]).toMatchObject({ what: "No source", decision: "" });
    expect(entries[1]?.rest).not.toHaveProperty("tool");
  });

  it("is filtered by every word and by kind", () => {
    expect(filterEntries(entries, "BASH den", "").map((each) => each.id)).toEqual(["2"]);
    expect(filterEntries(entries, "", "Stop").map((each) => each.id)).toEqual(["1"]);
    expect(filterEntries(entries, "bash source", "")).toEqual([]);
  });
});

describe("hooks", () => {
  it("find the document wherever it lies, and say what is wrong with it", () => {
    expect(documentOf({ hooks: { Stop: [] } })).toEqual({ hooks: { Stop: [] } });
    expect(documentOf({ document: { hooks: {} }, path: "/x" })).toEqual({ hooks: {} });
    expect(documentOf(null)).toEqual({ hooks: {} });
    expect(parseDocument("{").ok).toBe(false);
    expect(parseDocument("{}")).toEqual({ ok: true, value: {} });
  });

  it("read a dry run under any of its names", () => {
    const one = { command: "bin/x", exit_code: 2, ms: 4, stderr: "no", decision: "block" };
    const seen = { name: "bin/x", decision: "block", exit: 2, ms: 4, stdout: "", stderr: "no" };
    expect(toDryResults({ runs: [one] })).toEqual([{ ...seen, detail: null }]);
    expect(toDryResults([one])).toHaveLength(1);
    expect(toDryResults({})).toEqual([]);
  });
});
