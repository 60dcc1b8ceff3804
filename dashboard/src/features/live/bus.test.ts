import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onSessionExpired } from "@/api/client";
import type { readStream, SseFrame, StreamEnd } from "@/api/sse";
import { type BusParts, type Channel, LiveBus, type Locks, WATCHDOG_MS } from "./bus";

/** A browser with several tabs: one channel, one lock, and a server that remembers its events. */
class World {
  readonly channels = new Set<Channel & { name: string }>();
  readonly log: SseFrame[] = [];
  readonly streams = new Set<{ emit: (frame: SseFrame) => void; end: (end: StreamEnd) => void }>();
  readonly urls: string[] = [];
  nextEnd: StreamEnd | null = null;
  private holder: { release: () => void; steal: () => void } | null = null;
  private readonly queue: (() => void)[] = [];

  parts(): BusParts {
    return { channel: (name) => this.channel(name), locks: this.locks, stream: this.stream };
  }

  emit(id: number, delta = String(id)): void {
    const data = JSON.stringify({ delta, session_id: "s" });
    const frame = { id: String(id), event: "text_delta", data };
    this.log.push(frame);
    for (const stream of [...this.streams]) stream.emit(frame);
  }

  private channel(name: string): Channel {
    const world = this;
    const channel: Channel & { name: string } = {
      name,
      onmessage: null,
      postMessage(message) {
        const copy = structuredClone(message);
        for (const other of world.channels) {
          if (other !== channel) {
            queueMicrotask(() => other.onmessage?.({ data: copy } as MessageEvent));
          }
        }
      },
      close() {
        world.channels.delete(channel);
      },
    };
    this.channels.add(channel);
    return channel;
  }

  private readonly locks: Locks = {
    request: (_name, options, callback) =>
      new Promise((resolve, reject) => {
        const run = () => {
          if (options.signal?.aborted) {
            this.next();
            reject(new Error("aborted"));
            return;
          }
          const holder = {
            release: () => {
              if (this.holder === holder) this.next();
              resolve(undefined);
            },
            steal: () => reject(new Error("stolen")),
          };
          this.holder = holder;
          void callback().then(holder.release);
        };
        if (options.steal) {
          this.holder?.steal();
          run();
        } else if (this.holder) {
          this.queue.push(run);
        } else {
          run();
        }
      }),
  };

  private next(): void {
    this.holder = null;
    this.queue.shift()?.();
  }

  private readonly stream: typeof readStream = (url, { signal, onFrame, onOpen, onBytes }) =>
    new Promise((resolve, reject) => {
      this.urls.push(url);
      if (this.nextEnd) {
        const end = this.nextEnd;
        this.nextEnd = null;
        resolve(end);
        return;
      }
      const me = {
        emit: (frame: SseFrame) => {
          onBytes?.();
          onFrame(frame);
        },
        end: (end: StreamEnd) => {
          this.streams.delete(me);
          resolve(end);
        },
      };
      signal.addEventListener("abort", () => {
        this.streams.delete(me);
        reject(new Error("aborted"));
      });
      this.streams.add(me);
      onOpen?.();
      const query = new URL(url, "http://x").searchParams;
      const last = Number(this.log.at(-1)?.id ?? 0);
      if (query.has("snapshot")) {
        const data = JSON.stringify({ last_event_id: last });
        me.emit({ id: undefined, event: "snapshot", data });
      }
      const after = query.has("after") ? Number(query.get("after")) : last;
      for (const frame of this.log) if (Number(frame.id) > after) me.emit(frame);
    });
}

const tabs: LiveBus[] = [];

function open(world: World) {
  const bus = new LiveBus("ptolemy", world.parts());
  const got: number[] = [];
  let resyncs = 0;
  bus.onEvent((event) => got.push(event.id));
  bus.onResync(() => {
    resyncs += 1;
  });
  bus.start();
  tabs.push(bus);
  return { bus, got, resyncs: () => resyncs };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  for (const bus of tabs.splice(0)) bus.stop();
  vi.useRealTimers();
});

describe("LiveBus", () => {
  it("opens one stream for ten tabs, and each tab sees every event once", async () => {
    const world = new World();
    world.emit(1);
    const ten = Array.from({ length: 10 }, () => open(world));
    await settle();
    expect(world.streams.size).toBe(1);
    expect(ten.filter((tab) => tab.bus.leader)).toHaveLength(1);
    expect(ten.every((tab) => tab.bus.state === "open")).toBe(true);
    world.emit(2);
    world.emit(5);
    await settle();
    for (const tab of ten) expect(tab.got).toEqual([2, 5]);
  });

  it("loses nothing when the leader closes", async () => {
    const world = new World();
    const first = open(world);
    const second = open(world);
    const third = open(world);
    await settle();
    world.emit(3);
    await settle();
    first.bus.stop();
    // Between two leaders the server goes on.
    world.log.push({ id: "4", event: "text_delta", data: '{"delta":"4","session_id":"s"}' });
    await settle();
    world.emit(6);
    await settle();
    expect(world.streams.size).toBe(1);
    expect(second.got).toEqual([3, 4, 6]);
    expect(third.got).toEqual([3, 4, 6]);
    expect(world.urls.at(-1)).toBe("/api/events?after=3");
    expect(second.resyncs()).toBe(0);
  });

  it("goes on after the last id when the stream is cut", async () => {
    const world = new World();
    const tab = open(world);
    await settle();
    world.emit(10);
    for (const stream of [...world.streams]) stream.end({ kind: "closed" });
    await settle();
    expect(tab.bus.state).toBe("reconnecting");
    world.log.push({ id: "11", event: "text_delta", data: '{"delta":"x","session_id":"s"}' });
    await vi.advanceTimersByTimeAsync(2000);
    expect(tab.bus.state).toBe("open");
    expect(tab.got).toEqual([10, 11]);
    expect(tab.resyncs()).toBe(1);
  });

  it("replaces a stream that has gone quiet", async () => {
    const world = new World();
    open(world);
    await settle();
    expect(world.urls).toHaveLength(1);
    const beat = { id: undefined, event: "heartbeat", data: "{}" };
    await vi.advanceTimersByTimeAsync(WATCHDOG_MS - 1000);
    for (const stream of world.streams) stream.emit(beat);
    await vi.advanceTimersByTimeAsync(WATCHDOG_MS - 1000);
    expect(world.urls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(5000);
    expect(world.urls).toHaveLength(2);
    expect(world.streams.size).toBe(1);
  });

  it("lets a tab that missed something load again", async () => {
    const world = new World();
    const leader = open(world);
    const other = open(world);
    await settle();
    world.emit(1);
    await settle();
    // The other tab sleeps through one message.
    const channel = [...world.channels][1];
    const handler = channel?.onmessage ?? null;
    if (channel) channel.onmessage = null;
    world.emit(2);
    await settle();
    if (channel) channel.onmessage = handler;
    world.emit(3);
    await settle();
    expect(leader.got).toEqual([1, 2, 3]);
    expect(other.got).toEqual([1, 3]);
    expect(leader.resyncs()).toBe(1);
    expect(other.resyncs()).toBe(1);
  });

  it("takes the lock from a leader that has fallen silent", async () => {
    const world = new World();
    const leader = open(world);
    const other = open(world);
    await settle();
    // The leader's stream stays open, but it relays nothing: frozen by the browser.
    const channel = [...world.channels][0];
    if (channel) channel.postMessage = () => undefined;
    for (let i = 0; i < 6; i += 1) {
      await vi.advanceTimersByTimeAsync(10_000);
      for (const stream of world.streams) {
        stream.emit({ id: undefined, event: "heartbeat", data: "{}" });
      }
    }
    expect(other.bus.leader).toBe(true);
    expect(leader.bus.leader).toBe(false);
    world.emit(9);
    await settle();
    expect(other.got).toEqual([9]);
    expect(world.streams.size).toBe(1);
  });

  it("reports an ended login and does not try again", async () => {
    const world = new World();
    world.nextEnd = { kind: "status", status: 401 };
    let expired = 0;
    const off = onSessionExpired(() => {
      expired += 1;
    });
    const tab = open(world);
    await settle();
    expect(expired).toBe(1);
    tab.bus.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(world.urls).toHaveLength(1);
    off();
  });

  it("waits with a longer pause each time the server refuses", async () => {
    const world = new World();
    world.nextEnd = { kind: "status", status: 503 };
    const tab = open(world);
    await settle();
    expect(tab.bus.state).toBe("reconnecting");
    await vi.advanceTimersByTimeAsync(600);
    expect(world.urls).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1200);
    expect(tab.bus.state).toBe("open");
  });

  it("works without locks and channels, as on plain http", async () => {
    const world = new World();
    const bus = new LiveBus("p", { ...world.parts(), channel: () => null, locks: null });
    tabs.push(bus);
    const got: number[] = [];
    bus.onEvent((event) => got.push(event.id));
    bus.start();
    await bus.whenReady(1000);
    world.emit(4);
    expect(got).toEqual([4]);
  });

  it("resolves whenReady late rather than never", async () => {
    const world = new World();
    world.nextEnd = { kind: "status", status: 503 };
    const tab = open(world);
    let ready = false;
    void tab.bus.whenReady(1500).then(() => {
      ready = true;
    });
    await vi.advanceTimersByTimeAsync(400);
    expect(ready).toBe(false);
    await vi.advanceTimersByTimeAsync(1500);
    expect(ready).toBe(true);
  });
});
