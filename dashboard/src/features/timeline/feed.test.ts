import { describe, expect, it } from "vitest";
import { ApiError } from "@/api/client";
import type { LiveEvent } from "@/api/events";
import type { readStream, SseFrame, StreamEnd } from "@/api/sse";
import type { Message, Session } from "@/api/types";
import { toBlocks } from "./blocks";
import { type FeedParts, SessionFeed } from "./feed";
import { message, SESSION, stored, wholeRun } from "./fixture";
import { EMPTY_LANE, EMPTY_TIMELINE, MAIN, type Timeline } from "./model";
import { reduceAll } from "./reduce";

const EVENTS = wholeRun();
const WHOLE = texts(reduceAll(EMPTY_TIMELINE, EVENTS));

function texts(timeline: Timeline): string[] {
  return toBlocks(timeline.lanes[MAIN] ?? EMPTY_LANE).map((block) =>
    block.kind === "answer"
      ? block.text
      : block.kind === "user"
        ? block.message.content
        : block.kind,
  );
}

function toFrame(event: LiveEvent): SseFrame {
  return { id: String(event.id), event: event.type, data: JSON.stringify(event.data) };
}

/** A server at a moment of the run, with the bus beside it. */
class Bench {
  sent = 0;
  readonly busListeners = new Set<(event: LiveEvent) => void>();
  readonly resyncListeners = new Set<() => void>();
  readonly open = new Set<(frame: SseFrame) => void>();
  loads = 0;
  lastId: number | null = null;
  extra: Message[] = [];
  failWith: Error | null = null;
  /** What happens between the history's answer and the opening of the stream. */
  between: () => void = () => undefined;

  parts(): FeedParts {
    return {
      bus: {
        onEvent: (listener) => {
          this.busListeners.add(listener);
          return () => this.busListeners.delete(listener);
        },
        onResync: (listener) => {
          this.resyncListeners.add(listener);
          return () => this.resyncListeners.delete(listener);
        },
        whenReady: () => Promise.resolve(),
        lastId: this.lastId,
      },
      load: async () => {
        this.loads += 1;
        if (this.failWith) throw this.failWith;
        return { session: this.session(), messages: this.messages() };
      },
      stream: this.stream,
      exclusive: (_signal, work) => work(),
    };
  }

  /** The server stores and sends the next events; the bus brings them if it is open. */
  advance(count: number, live = true): void {
    for (const event of EVENTS.slice(this.sent, this.sent + count)) {
      this.sent += 1;
      for (const push of [...this.open]) push(toFrame(event));
      if (live) for (const listener of [...this.busListeners]) listener(event);
    }
  }

  beat(): void {
    for (const push of [...this.open]) push({ id: undefined, event: "heartbeat", data: "{}" });
  }

  private messages(): Message[] {
    return [...stored(EVENTS.slice(0, this.sent)), ...this.extra];
  }

  private session(): Session {
    const active = reduceAll(EMPTY_TIMELINE, EVENTS.slice(0, this.sent)).activeRunId;
    return { id: SESSION, active_run_id: active } as Session;
  }

  private readonly stream: typeof readStream = (_url, { signal, onFrame }) =>
    new Promise<StreamEnd>((resolve, reject) => {
      this.between();
      const past = EVENTS.slice(0, this.sent);
      const start = past.findLastIndex((event) => event.type === "run_started");
      const push = (frame: SseFrame) => {
        if (onFrame(frame) === false) {
          this.open.delete(push);
          resolve({ kind: "closed" });
        }
      };
      this.open.add(push);
      signal.addEventListener("abort", () => {
        this.open.delete(push);
        reject(new Error("aborted"));
      });
      // The server's first word only says that the stream is open.
      push({ id: undefined, event: "heartbeat", data: "{}" });
      for (const event of start < 0 ? [] : past.slice(start)) {
        if (this.open.has(push)) push(toFrame(event));
      }
      const active = this.session().active_run_id;
      if (!active && this.open.has(push)) {
        this.open.delete(push);
        resolve({ kind: "closed" });
      }
    });
}

const tick = () => new Promise((resolve) => setTimeout(resolve, 40));

describe("SessionFeed", () => {
  it("shows the whole conversation wherever in the run it is opened", async () => {
    for (let cut = 0; cut <= EVENTS.length; cut += 1) {
      const bench = new Bench();
      bench.advance(cut);
      const feed = new SessionFeed(SESSION, bench.parts());
      feed.start();
      await Promise.resolve();
      // Events come while the history is on its way, and between it and the stream.
      bench.advance(2);
      bench.between = () => bench.advance(2);
      await tick();
      bench.advance(EVENTS.length);
      await tick();
      expect(texts(feed.snapshot().timeline), `opened at ${cut}`).toEqual(WHOLE);
      expect(bench.open.size, `connections left at ${cut}`).toBe(0);
      feed.stop();
      expect(bench.busListeners.size).toBe(0);
    }
  }, 20_000);

  it("gives the connection back at a heartbeat behind the stored events", async () => {
    const bench = new Bench();
    bench.advance(8);
    const feed = new SessionFeed(SESSION, bench.parts());
    feed.start();
    await tick();
    expect(bench.open.size).toBe(1);
    bench.beat();
    await tick();
    expect(bench.open.size).toBe(0);
    bench.advance(EVENTS.length);
    await tick();
    expect(texts(feed.snapshot().timeline)).toEqual(WHOLE);
    feed.stop();
  });

  it("stops reading where the bus had come to", async () => {
    const bench = new Bench();
    bench.advance(12);
    bench.lastId = EVENTS[11]?.id ?? null;
    const feed = new SessionFeed(SESSION, bench.parts());
    feed.start();
    await tick();
    expect(bench.open.size).toBe(0);
    bench.advance(EVENTS.length);
    await tick();
    expect(texts(feed.snapshot().timeline)).toEqual(WHOLE);
    feed.stop();
  });

  it("takes a withdrawn message out of the queue", async () => {
    const bench = new Bench();
    bench.advance(8);
    const waits = message("q1", { role: "user", content: "Later", queued: true });
    bench.extra = [waits];
    const feed = new SessionFeed(SESSION, bench.parts());
    feed.start();
    await tick();
    expect(feed.snapshot().timeline.queue).toHaveLength(1);
    bench.beat();
    await tick();
    bench.extra = [];
    const id = (EVENTS[7]?.id ?? 0) + 1;
    const data = { session_id: SESSION, session: { id: SESSION } };
    for (const listener of [...bench.busListeners]) {
      listener({ id, type: "session_updated", data } as LiveEvent);
    }
    await tick();
    expect(feed.snapshot().timeline.queue).toEqual([]);
    feed.stop();
  });

  it("drops the connection when the page is left", async () => {
    const bench = new Bench();
    bench.advance(8);
    const feed = new SessionFeed(SESSION, bench.parts());
    feed.start();
    await tick();
    feed.stop();
    expect(bench.open.size).toBe(0);
  });

  it("loads again when events may have been missed", async () => {
    const bench = new Bench();
    bench.advance(8);
    const feed = new SessionFeed(SESSION, bench.parts());
    feed.start();
    await tick();
    // The laptop sleeps; the bus cannot bridge the gap.
    bench.beat();
    await tick();
    bench.advance(EVENTS.length, false);
    for (const listener of bench.resyncListeners) listener();
    await tick();
    expect(bench.loads).toBe(2);
    expect(texts(feed.snapshot().timeline)).toEqual(WHOLE);
    feed.stop();
  });

  it("tells a deleted session from a fault", async () => {
    const bench = new Bench();
    bench.failWith = new ApiError(404, null, null);
    const gone = new SessionFeed(SESSION, bench.parts());
    gone.start();
    await tick();
    expect(gone.snapshot().status).toBe("missing");
    gone.stop();
    bench.failWith = new Error("network");
    const broken = new SessionFeed(SESSION, bench.parts());
    broken.start();
    await tick();
    expect(broken.snapshot()).toMatchObject({ status: "error", error: "network" });
    broken.stop();
  });
});
