import { describe, expect, it } from "vitest";
import { lineDiff } from "./diff";
import { formatLeft, secondsLeft, spokenMark } from "./time";
import { visible } from "./visible";

describe("the time to answer", () => {
  it("runs down to nothing and no further", () => {
    const at = Date.parse("2026-12-01T10:00:00Z");
    expect(secondsLeft("2026-12-01T10:05:00Z", at)).toBe(300);
    expect(secondsLeft("2026-12-01T10:00:00.200Z", at)).toBe(1);
    expect(secondsLeft("2026-12-01T09:59:00Z", at)).toBe(0);
    expect(secondsLeft("no time", at)).toBe(0);
  });

  it("is shown as a clock and said twice", () => {
    expect([formatLeft(300), formatLeft(65), formatLeft(4)]).toEqual(["5:00", "1:05", "0:04"]);
    const said = Array.from({ length: 300 }, (_, i) => spokenMark(300 - i));
    expect([...new Set(said)]).toEqual([null, 60, 20]);
  });
});

describe("the diff of a replacement", () => {
  it.each([
    ["one line", "a\nb\nc", "a\nB\nc", "  a\n- b\n+ B\n  c"],
    ["an insertion", "a\nc", "a\nb\nc", "  a\n+ b\n  c"],
    ["a removal of all", "a\nb", "", "- a\n- b"],
    ["lines that repeat", "x\nx\ny", "x\ny", "  x\n- x\n  y"],
    [
      "a kept line between changes",
      "1\nkeep\n2",
      "one\nkeep\ntwo",
      "- 1\n+ one\n  keep\n- 2\n+ two",
    ],
  ])("shows %s", (_name, before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff);
  });

  it("keeps three lines around the change", () => {
    const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
    const after = lines.map((line) => (line === "5" ? "five" : line)).join("\n");
    expect(lineDiff(lines.join("\n"), after).split("\n")).toEqual([
      ...["  2", "  3", "  4"],
      ...["- 5", "+ five"],
      ...["  6", "  7", "  8"],
    ]);
  });

  it("does not compute a huge table", () => {
    const long = (word: string) => Array.from({ length: 900 }, (_, i) => `${word}${i}`).join("\n");
    expect(lineDiff(long("a"), long("b")).split("\n")).toHaveLength(1800);
  });
});

describe("characters without a picture", () => {
  it("are written out, lines and tabs left alone", () => {
    expect(visible("rm \u202Efoo\u200B\n\tbar\u0007")).toBe(
      "rm \\u{202e}foo\\u{200b}\n\tbar\\u{0007}",
    );
    expect(visible("红移 z ≈ 1.04")).toBe("红移 z ≈ 1.04");
  });
});
