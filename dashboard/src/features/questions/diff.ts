/** Lines of context that a change keeps on either side. */
const CONTEXT = 3;
/** Past this many pairs of lines the table would cost more than it shows. */
const LIMIT = 250_000;

/** A replacement as the lines of a diff: what stays has blanks before it. */
export function lineDiff(before: string, after: string): string {
  const a = before.split("\n");
  const b = after === "" ? [] : after.split("\n");
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1;
  }
  const middle = changes(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  const top = a.slice(0, head).slice(-CONTEXT);
  const bottom = a.slice(a.length - tail).slice(0, tail === 0 ? 0 : CONTEXT);
  return [...top.map((line) => `  ${line}`), ...middle, ...bottom.map((line) => `  ${line}`)].join(
    "\n",
  );
}

/** The longest common subsequence of lines, told as kept, removed and added ones. */
function changes(a: readonly string[], b: readonly string[]): string[] {
  if (a.length * b.length > LIMIT) {
    return [...a.map((line) => `- ${line}`), ...b.map((line) => `+ ${line}`)];
  }
  const width = b.length + 1;
  const length = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => length[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      length[i * width + j] =
        a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(`  ${a[i]}`);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`- ${a[i]}`);
      i += 1;
    } else {
      lines.push(`+ ${b[j]}`);
      j += 1;
    }
  }
  return lines;
}
