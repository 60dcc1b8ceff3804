import { describe, expect, it } from "vitest";
import { type SseFrame, SseParser } from "./sse";

const STREAM = [
  ": open",
  "",
  "id: 7",
  "event: text_delta",
  'data: {"delta":"Schrödinger 方程 𝛼 β"}',
  "",
  "event: heartbeat",
  "data: {}",
  "",
  "id: 8",
  "event: error",
  "data: first line",
  "data:second line",
  "",
  "id: 9",
  "",
  "retry: 300",
  "data",
  "",
  "",
].join("\n");

const EXPECTED: SseFrame[] = [
  { id: "7", event: "text_delta", data: '{"delta":"Schrödinger 方程 𝛼 β"}' },
  { id: undefined, event: "heartbeat", data: "{}" },
  { id: "8", event: "error", data: "first line\nsecond line" },
  { id: undefined, event: "message", data: "" },
];

function parse(bytes: Uint8Array, cuts: number[]): SseFrame[] {
  const parser = new SseParser();
  const frames: SseFrame[] = [];
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    frames.push(...parser.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return frames;
}

describe("SseParser", () => {
  for (const [name, newline] of [
    ["LF", "\n"],
    ["CRLF", "\r\n"],
  ] as const) {
    const bytes = new TextEncoder().encode(STREAM.replaceAll("\n", newline));

    it(`gives the same frames wherever the bytes are cut (${name})`, () => {
      expect(parse(bytes, [])).toEqual(EXPECTED);
      for (let cut = 0; cut <= bytes.length; cut += 1) {
        expect(parse(bytes, [cut]), `cut at ${cut}`).toEqual(EXPECTED);
      }
    });

    it(`reads one byte at a time (${name})`, () => {
      expect(parse(bytes, [...bytes.keys()])).toEqual(EXPECTED);
    });
  }

  it("keeps an unfinished event back", () => {
    const parser = new SseParser();
    expect(parser.push(new TextEncoder().encode("id: 1\ndata: half"))).toEqual([]);
    expect(parser.push(new TextEncoder().encode("\n\n"))).toEqual([
      { id: "1", event: "message", data: "half" },
    ]);
  });

  it("does not carry an id over to the next event", () => {
    const parser = new SseParser();
    const frames = parser.push(new TextEncoder().encode("id: 1\ndata: a\n\ndata: b\n\n"));
    expect(frames.map((frame) => frame.id)).toEqual(["1", undefined]);
  });
});
