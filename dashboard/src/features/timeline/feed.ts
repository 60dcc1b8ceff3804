import { ApiError, api, body } from "@/api/client";
import { type LiveEvent, parseEvent } from "@/api/events";
import { readStream } from "@/api/sse";
import type { Message, Session } from "@/api/types";
import type { LiveBus } from "@/features/live/bus";
import { dequeue } from "./fold";
import { EMPTY_TIMELINE, type Timeline } from "./model";
import { fromHistory, fromHistoryAndEvents, reduceAll } from "./reduce";

export interface FeedState {
  status: "loading" | "ready" | "missing" | "error";
  error: string | null;
  timeline: Timeline;
}

export interface FeedParts {
  bus: Pick<LiveBus, "onEvent" | "onResync" | "whenReady" | "lastId">;
  load: (sessionId: string) => Promise<{ session: Session; messages: Message[] }>;
  stream: typeof readStream;
  /** Runs one at a time across the tabs of the browser. */
  exclusive: (signal: AbortSignal, work: () => Promise<void>) => Promise<void>;
}

/**
 * One session as it is and as it goes on: the stored history, the events of its newest run, then
 * whatever the bus brings. While loading, live events wait; they are applied after what was
 * fetched, and repeats fall out by their ids. So nothing is lost between the two.
 */
export class SessionFeed {
  private state: FeedState = { status: "loading", error: null, timeline: EMPTY_TIMELINE };
  private readonly listeners = new Set<() => void>();
  private readonly sessionId: string;
  private readonly parts: FeedParts;
  private loading: AbortController | null = null;
  /** Events that arrived while loading; null once they are applied as they come. */
  private waiting: LiveEvent[] | null = [];
  private pending: LiveEvent[] = [];
  private frame: number | null = null;
  private off: (() => void)[] = [];

  constructor(sessionId: string, parts: FeedParts) {
    this.sessionId = sessionId;
    this.parts = parts;
  }

  start(): void {
    this.off = [
      this.parts.bus.onEvent((event) => this.receive(event)),
      this.parts.bus.onResync(() => void this.load()),
    ];
    void this.load();
  }

  stop(): void {
    for (const off of this.off) off();
    this.off = [];
    this.loading?.abort();
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly snapshot = (): FeedState => this.state;

  /** Loads everything again, keeping what is shown until the new state is there. */
  async load(): Promise<void> {
    this.loading?.abort();
    const loading = new AbortController();
    this.loading = loading;
    this.flush();
    this.waiting ??= [];
    try {
      await this.parts.bus.whenReady(1500);
      if (loading.signal.aborted) return;
      const { session, messages } = await this.parts.load(this.sessionId);
      if (loading.signal.aborted) return;
      const active = session.active_run_id ?? null;
      if (this.state.status !== "ready") {
        this.publish({ status: "ready", error: null, timeline: fromHistory(messages, active) });
      }
      await this.catchUp(messages, active, loading.signal);
    } catch (error) {
      if (loading.signal.aborted) return;
      const missing = error instanceof ApiError && error.status === 404;
      this.publish({
        ...this.state,
        status: missing ? "missing" : "error",
        error: error instanceof Error ? error.message : String(error),
      });
    } finally {
      if (this.loading === loading) {
        this.loading = null;
        this.release();
      }
    }
  }

  /**
   * Reads the newest run's events from the session's own stream, up to where the bus takes over:
   * the last event that the bus had had before, the first one it brought since, the end of the
   * stream, or a heartbeat behind the stored events (the server sends one only once it waits for
   * more). The connection is then given back: a browser has six of them for all its tabs.
   */
  private async catchUp(
    messages: readonly Message[],
    active: string | null,
    signal: AbortSignal,
  ): Promise<void> {
    if (messages.length === 0 && !active) {
      this.settle(fromHistory(messages, active));
      return;
    }
    const events: LiveEvent[] = [];
    let shown = 0;
    // Whatever is newer than this comes through the bus.
    const head = this.parts.bus.lastId;
    let frames = 0;
    const show = () => {
      shown = Date.now();
      // A run may end and the next begin while the history is on its way: then the stream starts
      // with the new one, and only the bus has had the end of the old one.
      const live = this.waiting ?? [];
      const timeline = fromHistoryAndEvents(messages, mergeEvents(live, events), active);
      // The replay also tells of messages that waited and were withdrawn.
      const known = new Set(messages.map((message) => message.id));
      for (const event of live) if (event.type === "message") known.add(event.data.message.id);
      const queue = timeline.queue.filter((message) => known.has(message.id));
      this.settle(queue.length === timeline.queue.length ? timeline : { ...timeline, queue });
    };
    await this.parts.exclusive(signal, async () => {
      await this.parts
        .stream(`/api/sessions/${this.sessionId}/events`, {
          signal,
          onFrame: (frame) => {
            frames += 1;
            // The very first one only says that the stream is open.
            if (frame.event === "heartbeat") return frames === 1;
            const event = parseEvent(frame);
            if (!event) return true;
            events.push(event);
            const first = this.waiting?.[0];
            if (first && event.id >= first.id) return false;
            if (head !== null && event.id >= head) return false;
            if (Date.now() - shown > 120) show();
            return true;
          },
        })
        .catch((error: unknown) => {
          if (signal.aborted) throw error;
          // Cut on the way: what was read stands, and the bus goes on.
        });
    });
    if (!signal.aborted) show();
  }

  private settle(timeline: Timeline): void {
    this.publish({ status: "ready", error: null, timeline });
  }

  /** Applies what waited, then lets events through as they come. */
  private release(): void {
    const waiting = this.waiting ?? [];
    this.waiting = null;
    this.apply(waiting);
  }

  private receive(event: LiveEvent): void {
    if (event.data.session_id !== this.sessionId) return;
    if (this.waiting) {
      this.waiting.push(event);
      return;
    }
    this.pending.push(event);
    // A hidden tab gets no animation frames; it may also wait for nothing to paint.
    if (document.visibilityState === "hidden") this.flush();
    else this.frame ??= requestAnimationFrame(() => this.flush());
  }

  /** Takes out of the queue what somebody withdrew, in this tab or another. */
  private async checkQueue(): Promise<void> {
    const before = this.state.timeline.queue;
    if (before.length === 0 || this.waiting) return;
    const loaded = await this.parts.load(this.sessionId).catch(() => null);
    if (!loaded || this.off.length === 0) return;
    const there = new Set(loaded.messages.map((message) => message.id));
    let { timeline } = this.state;
    for (const message of before) {
      if (!there.has(message.id)) timeline = dequeue(timeline, message.id);
    }
    if (timeline !== this.state.timeline) this.publish({ ...this.state, timeline });
  }

  private flush(): void {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    const events = this.pending;
    this.pending = [];
    this.apply(events);
  }

  private apply(events: readonly LiveEvent[]): void {
    if (events.length === 0) return;
    const timeline = reduceAll(this.state.timeline, events);
    if (timeline !== this.state.timeline) this.publish({ ...this.state, timeline });
    // A withdrawal leaves no other trace than a change of the session.
    if (events.some((event) => event.type === "session_updated")) void this.checkQueue();
  }

  private publish(state: FeedState): void {
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** Both lists as one, in the order of their ids, each event once. */
function mergeEvents(a: readonly LiveEvent[], b: readonly LiveEvent[]): LiveEvent[] {
  const byId = new Map<number, LiveEvent>();
  for (const event of [...b, ...a]) byId.set(event.id, event);
  return [...byId.values()].sort((x, y) => x.id - y.id);
}

/** Two catch-up streams at a time in the whole browser, so that requests still get through. */
async function exclusive(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return work();
  const slot = Math.floor(Math.random() * 2);
  await locks.request(`almagest-catch-up-${slot}`, { signal }, work);
}

export function browserFeedParts(bus: LiveBus): FeedParts {
  return {
    bus,
    stream: readStream,
    exclusive,
    async load(id) {
      const path = { params: { path: { id } } };
      const [session, messages] = await Promise.all([
        body(api.GET("/api/sessions/{id}", path)),
        body(api.GET("/api/sessions/{id}/messages", path)),
      ]);
      return { session, messages: messages.items };
    },
  };
}
