/**
 * A snippet as text and matches, in order. `highlights` are pairs of start and length in Unicode
 * code points, as the server counts them; JavaScript's own indices would slip behind the first
 * character outside of the basic plane.
 */
export function snippetParts(
  snippet: string,
  highlights: readonly (readonly number[])[],
): { text: string; match: boolean }[] {
  const points = Array.from(snippet);
  const parts: { text: string; match: boolean }[] = [];
  const push = (from: number, to: number, match: boolean) => {
    if (to > from) parts.push({ text: points.slice(from, to).join(""), match });
  };
  let at = 0;
  for (const [start = 0, length = 0] of [...highlights].sort((a, b) => (a[0] ?? 0) - (b[0] ?? 0))) {
    const from = Math.max(at, start);
    const to = Math.min(points.length, start + length);
    if (to <= from) continue;
    push(at, from, false);
    push(from, to, true);
    at = to;
  }
  push(at, points.length, false);
  return parts;
}

export function Snippet({
  text,
  highlights,
}: {
  text: string;
  highlights: readonly (readonly number[])[];
}) {
  return (
    <>
      {snippetParts(text, highlights).map((part, index) =>
        part.match ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move.
          <mark key={index} className="rounded-xs bg-mark px-0.5 text-ink">
            {part.text}
          </mark>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <span key={index}>{part.text}</span>
        ),
      )}
    </>
  );
}
