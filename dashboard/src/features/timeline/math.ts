/**
 * Prepares the mathematics of an answer for remark-math, which knows `$` and `$$` only.
 * `\( \)` and `\[ \]` become dollars; a dollar that opens no formula by pandoc's rule (a blank
 * behind the opening one, a blank before or a digit behind the closing one) is escaped, so that
 * prices stay prices. Code, inline and fenced, is left alone.
 */
export function normalizeMath(markdown: string): string {
  if (!/[$\\]/.test(markdown)) return markdown;
  // split() with two groups gives: text, fence, its marker, text, fence, its marker, ...
  return markdown
    .split(/(^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^[ \t]*\2[^\n]*$|(?![\s\S])))/m)
    .map((piece, index) => [outsideFences(piece), piece, ""][index % 3] ?? "")
    .join("");
}

function outsideFences(text: string): string {
  let out = "";
  let i = 0;
  while (i < text.length) {
    const c = text[i];
    if (c === "`") {
      const run = /^`+/.exec(text.slice(i))?.[0] ?? "`";
      const end = closingTicks(text, i + run.length, run.length);
      const next = end < 0 ? i + run.length : end;
      out += text.slice(i, next);
      i = next;
    } else if (c === "\\" && (text[i + 1] === "(" || text[i + 1] === "[")) {
      const display = text[i + 1] === "[";
      const end = text.indexOf(display ? "\\]" : "\\)", i + 2);
      const inner = end < 0 ? "" : text.slice(i + 2, end);
      // A blank line ends a paragraph, so it cannot stand in a formula.
      if (end < 0 || /\n\s*\n/.test(inner)) {
        out += text.slice(i, i + 2);
        i += 2;
      } else {
        out += display ? displayMath(inner, out) : `$${inner.trim()}$`;
        i = end + 2;
      }
    } else if (c === "\\") {
      out += text.slice(i, i + 2);
      i += 2;
    } else if (c === "$" && text[i + 1] === "$") {
      const end = text.indexOf("$$", i + 2);
      if (end < 0) return out + text.slice(i);
      const inner = text.slice(i + 2, end);
      out += displayMath(inner, out);
      i = end + 2;
    } else if (c === "$") {
      const end = closingDollar(text, i + 1);
      out += end < 0 ? "\\$" : text.slice(i, end + 1);
      i = end < 0 ? i + 1 : end + 1;
    } else {
      out += c;
      i += 1;
    }
  }
  return out;
}

/** Display mathematics stands on lines of its own, under the indentation of its line. */
function displayMath(inner: string, before: string): string {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const quote = /^[ \t>]*$/.test(line);
  const indent = quote ? line : (/^[ \t>]*/.exec(line)?.[0] ?? "");
  const body = inner.trim().replace(/\n[ \t>]*/g, `\n${indent}`);
  return `${quote ? "" : `\n${indent}`}$$\n${indent}${body}\n${indent}$$\n${indent}`;
}

function closingTicks(text: string, from: number, length: number): number {
  const runs = /`+/g;
  runs.lastIndex = from;
  for (let match = runs.exec(text); match; match = runs.exec(text)) {
    if (match[0].length === length) return match.index + length;
  }
  return -1;
}

function closingDollar(text: string, from: number): number {
  if (/\s/.test(text[from] ?? " ")) return -1;
  for (let i = from; i < text.length; i += 1) {
    if (text[i] === "\\") {
      i += 1;
    } else if (text[i] === "\n" && /^\n\s*\n/.test(text.slice(i))) {
      return -1;
    } else if (text[i] === "$") {
      if (/\s/.test(text[i - 1] ?? " ")) return -1;
      return /\d/.test(text[i + 1] ?? "") ? -1 : i;
    }
  }
  return -1;
}

/**
 * Cuts a growing answer into pieces that can be drawn each on its own: at blank lines outside of
 * fences, lists, tables and formulas. Only the last piece changes while the answer streams, so
 * the others are parsed once.
 */
export function splitBlocks(markdown: string): string[] {
  const lines = markdown.split("\n");
  const pieces: string[] = [];
  let current: string[] = [];
  let fence: string | null = null;
  let math = false;
  const safeStart = (line: string | undefined) =>
    line !== undefined && line !== "" && !/^(\s|[-*+>|]|\d+[.)]\s)/.test(line);
  for (const [index, line] of lines.entries()) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark) {
      fence = mark;
    } else if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) {
      math = !math;
    }
    if (line.trim() === "" && !fence && !math && current.length > 0) {
      if (safeStart(lines[index + 1])) {
        pieces.push(current.join("\n"));
        current = [];
        continue;
      }
    }
    current.push(line);
  }
  if (current.some((line) => line.trim() !== "")) pieces.push(current.join("\n"));
  // A reference or footnote definition may be used anywhere: then only the whole is right.
  if (pieces.length > 1 && /^\[[^\]]+\]:\s/m.test(markdown)) return [markdown];
  return pieces;
}
