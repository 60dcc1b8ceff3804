/** One event of a `text/event-stream`, before its data is understood. */
export interface SseFrame {
  id: string | undefined;
  event: string;
  data: string;
}

/**
 * An incremental parser of `text/event-stream` (WHATWG HTML, 9.2.6). Bytes may be cut anywhere,
 * inside a UTF-8 character or between CR and LF too. It differs from `EventSource` on purpose in
 * one point: an event without `data` but with an id is not reported, and an id is reported only
 * with the event that carries it, since our cursor must never run ahead of what was handled.
 */
export class SseParser {
  private readonly decoder = new TextDecoder("utf-8");
  private buffer = "";
  private data: string[] = [];
  private event = "";
  private id: string | undefined;

  push(chunk: Uint8Array): SseFrame[] {
    this.buffer += this.decoder.decode(chunk, { stream: true });
    const frames: SseFrame[] = [];
    let start = 0;
    for (;;) {
      const end = lineEnd(this.buffer, start);
      if (end === null) break;
      const frame = this.line(this.buffer.slice(start, end.at));
      if (frame) frames.push(frame);
      start = end.next;
    }
    this.buffer = this.buffer.slice(start);
    return frames;
  }

  private line(line: string): SseFrame | null {
    if (line === "") return this.dispatch();
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    return null;
  }

  private dispatch(): SseFrame | null {
    const frame =
      this.data.length === 0
        ? null
        : { id: this.id, event: this.event || "message", data: this.data.join("\n") };
    this.data = [];
    this.event = "";
    this.id = undefined;
    return frame;
  }
}

/** The next line break, or null while the line may still go on (a CR at the end of the buffer). */
function lineEnd(text: string, from: number): { at: number; next: number } | null {
  for (let i = from; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === 10) return { at: i, next: i + 1 };
    if (code === 13) {
      if (i + 1 >= text.length) return null;
      return { at: i, next: text.charCodeAt(i + 1) === 10 ? i + 2 : i + 1 };
    }
  }
  return null;
}

/** Why a stream is over: the server closed it, or it was never opened. */
export type StreamEnd = { kind: "closed" } | { kind: "empty" } | { kind: "status"; status: number };

/**
 * Reads an event stream until the server ends it, the signal aborts (rejects with AbortError) or
 * `onFrame` returns false. `onOpen` runs once the headers say it is a stream.
 */
export async function readStream(
  url: string,
  options: {
    signal: AbortSignal;
    onFrame: (frame: SseFrame) => boolean | undefined;
    onOpen?: () => void;
    onBytes?: () => void;
  },
): Promise<StreamEnd> {
  const response = await fetch(url, {
    headers: { accept: "text/event-stream" },
    credentials: "same-origin",
    // Without this Chromium queues a second request for the same address behind the first.
    cache: "no-store",
    signal: options.signal,
  });
  if (response.status === 204) return { kind: "empty" };
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    return { kind: "status", status: response.status };
  }
  options.onOpen?.();
  const reader = response.body.getReader();
  const parser = new SseParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { kind: "closed" };
      options.onBytes?.();
      for (const frame of parser.push(value)) {
        if (options.onFrame(frame) === false) return { kind: "closed" };
      }
    }
  } finally {
    // Frees the connection at once; a second cancel after the end changes nothing.
    await reader.cancel().catch(() => undefined);
  }
}
