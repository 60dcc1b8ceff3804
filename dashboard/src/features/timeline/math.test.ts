import { describe, expect, it } from "vitest";
import { normalizeMath, splitBlocks } from "./math";

describe("normalizeMath", () => {
  it.each([
    ["$x$ and $10^5$ K", "$x$ and $10^5$ K"],
    ["It costs $5 and $6.", "It costs \\$5 and \\$6."],
    ["from $5 to $10 each", "from \\$5 to \\$10 each"],
    ["\\(a_b\\) inline", "$a_b$ inline"],
    ["already \\$5", "already \\$5"],
    ["`$x` and `` a ` $y `` stay", "`$x` and `` a ` $y `` stay"],
    ["`\\(x\\)`", "`\\(x\\)`"],
    ["\\[ unfinished", "\\[ unfinished"],
    ["$ x $", "\\$ x \\$"],
    ["open $x", "open \\$x"],
    ["$a\\$b$", "$a\\$b$"],
    ["no mathematics", "no mathematics"],
  ])("%s", (from, to) => {
    expect(normalizeMath(from)).toBe(to);
  });

  it("puts display mathematics on lines of its own", () => {
    expect(normalizeMath("so \\[ E = mc^2 \\] holds")).toBe("so \n$$\nE = mc^2\n$$\n holds");
    expect(normalizeMath("$$\nx\n$$")).toBe("$$\nx\n$$\n");
  });

  it("leaves fenced code alone, closed or still streaming", () => {
    const closed = "a \\(x\\)\n```py\ncost = '$5' # \\(y\\)\n```\nb \\(z\\)";
    expect(normalizeMath(closed)).toBe("a $x$\n```py\ncost = '$5' # \\(y\\)\n```\nb $z$");
    const open = "```sh\necho $HOME \\(";
    expect(normalizeMath(open)).toBe(open);
  });

  it("stops at a blank line", () => {
    expect(normalizeMath("\\(a\n\nb\\)")).toBe("\\(a\n\nb\\)");
    expect(normalizeMath("$a\n\nb$")).toBe("\\$a\n\nb\\$");
  });
});

describe("splitBlocks", () => {
  it("cuts at blank lines between paragraphs", () => {
    expect(splitBlocks("one\n\ntwo\n\n# three")).toEqual(["one", "two", "# three"]);
  });

  it("keeps lists, tables, fences and formulas whole", () => {
    for (const whole of [
      "- a\n\n- b",
      "1. a\n\n2. b",
      "- a\n\n  more",
      "```\na\n\nb\n```",
      "$$\na\n\nb\n$$",
    ]) {
      expect(splitBlocks(whole)).toEqual([whole]);
    }
  });

  it("keeps earlier pieces the same while the text grows", () => {
    const text = "First *paragraph*.\n\nSecond one.\n\n- list\n- more\n\nThird $x$.\n\nLast.";
    for (let end = 1; end <= text.length; end += 1) {
      const pieces = splitBlocks(text.slice(0, end));
      const whole = splitBlocks(text);
      for (const [index, piece] of pieces.slice(0, -1).entries()) expect(whole[index]).toBe(piece);
    }
  });

  it("does not cut where a reference may be used anywhere", () => {
    const text = "See [1].\n\nMore.\n\n[1]: https://example.org";
    expect(splitBlocks(text)).toEqual([text]);
  });
});
