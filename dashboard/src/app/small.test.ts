import { describe, expect, it } from "vitest";
import { retryAfterSeconds } from "@/api/client";
import { uuid } from "@/api/ids";
import type { Session } from "@/api/types";
import { formatCount, formatDuration } from "@/components/format";
import { snippetParts } from "@/features/search/snippet";
import { groupSessions } from "@/features/sessions/groups";
import { sortSessions } from "@/features/sessions/queries";
import { safeNext } from "@/pages/LoginPage";

describe("small things", () => {
  it("reads both forms of Retry-After", () => {
    expect(retryAfterSeconds("120")).toBe(120);
    const now = Date.parse("2026-12-01T00:00:00Z");
    expect(retryAfterSeconds("Tue, 01 Dec 2026 00:00:30 GMT", now)).toBe(30);
    expect(retryAfterSeconds("soon")).toBeNull();
    expect(retryAfterSeconds(null)).toBeNull();
  });

  it("makes distinct version 4 UUIDs", () => {
    const ids = Array.from({ length: 200 }, uuid);
    expect(new Set(ids).size).toBe(200);
    for (const id of ids)
      expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it("writes durations and counts", () => {
    expect([20, 400, 9940, 12_400, 59_600, 125_000].map(formatDuration)).toEqual([
      "<0.1 s",
      "0.4 s",
      "9.9 s",
      "12 s",
      "1 min 00 s",
      "2 min 05 s",
    ]);
    expect([950, 12_300, 128_000, 1_200_000].map(formatCount)).toEqual([
      "950",
      "12.3k",
      "128k",
      "1.2M",
    ]);
  });

  it("goes only to paths of its own after the login", () => {
    expect(safeNext("/s/1?m=2")).toBe("/s/1?m=2");
    for (const bad of [null, "", "https://evil", "//evil", "/\\evil", "s/1"]) {
      expect(safeNext(bad)).toBe("/");
    }
  });

  it("takes a snippet apart at its matches, counted in code points", () => {
    expect(snippetParts("𝛼 b c <i>", [[2, 1]])).toEqual([
      { text: "𝛼 ", match: false },
      { text: "b", match: true },
      { text: " c <i>", match: false },
    ]);
    const odd = [[5, 9], [0, 2], [1, 2], [40, 3], []];
    expect(snippetParts("abcdefg", odd)).toEqual([
      { text: "ab", match: true },
      { text: "c", match: true },
      { text: "de", match: false },
      { text: "fg", match: true },
    ]);
  });

  it("lists sessions once, pinned first, under their days", () => {
    const session = (id: string, updated_at: string, pinned = false) =>
      ({ id, updated_at, pinned }) as Session;
    const sorted = sortSessions([
      { items: [session("a", "2026-11-30T10:00:00Z"), session("b", "2026-12-01T11:00:00Z")] },
      { items: [session("a", "2026-12-01T12:00:00Z"), session("c", "2026-01-01T00:00:00Z", true)] },
    ]);
    expect(sorted.map((s) => s.id)).toEqual(["c", "a", "b"]);
    const groups = groupSessions(sorted, new Date("2026-12-01T20:00:00Z"));
    expect(groups.map((g) => [g.name, g.sessions.map((s) => s.id)])).toEqual([
      ["pinned", ["c"]],
      ["today", ["a", "b"]],
    ]);
  });
});
