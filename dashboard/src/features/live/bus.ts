import { reportExpired } from "@/api/client";
import { frameData, frameId, type LiveEvent, parseEvent } from "@/api/events";
import { readStream, type SseFrame } from "@/api/sse";

export type ConnectionState = "connecting" | "open" | "reconnecting" | "offline";

/** What the tabs of one browser say to each other. */
type Wire =
  | { kind: "frame"; frame: SseFrame; previous: number | null; at: number }
  | { kind: "alive" }
  | { kind: "hello" }
  | { kind: "state"; state: ConnectionState; lastId: number | null }
  | { kind: "fresh"; lastId: number | null };

export interface Channel {
  postMessage(message: unknown): void;
  onmessage: ((event: MessageEvent) => void) | null;
  close(): void;
}

/** The part of the Web Locks API that we use; tests put their own in place. */
export interface Locks {
  request(
    name: string,
    options: { steal?: boolean; signal?: AbortSignal },
    callback: () => Promise<void>,
  ): Promise<unknown>;
}

export interface BusParts {
  channel: (name: string) => Channel | null;
  locks: Locks | null;
  stream: typeof readStream;
}

const browserParts: BusParts = {
  channel: (name) => (typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel(name)),
  // Absent outside secure contexts (plain http on a host name): then each tab has its own stream.
  locks: (globalThis.navigator?.locks as Locks | undefined) ?? null,
  stream: readStream,
};

/** The server sends a heartbeat every 10 s; three missed ones mean that the stream is dead. */
export const WATCHDOG_MS = 30_000;
/** A leader that relays nothing for this long (frozen by the browser) is replaced. */
const LEADER_SILENCE_MS = 45_000;
const MAX_BACKOFF_MS = 15_000;

/**
 * The one stream of events of a browser. The tab that holds the lock (the leader) reads
 * `/api/events` and relays every event to the others, since a browser allows only six connections
 * to a server over HTTP/1.1. When the leader closes, the next tab takes over from the last id that
 * it saw. Each relayed event names the one before it, so that a tab which missed something notices
 * and loads its state again (`onResync`).
 */
export class LiveBus {
  private readonly parts: BusParts;
  private readonly name: string;
  private readonly stopping = new AbortController();
  private channel: Channel | null = null;
  private leading: AbortController | null = null;
  private cursor: number | null = null;
  private connection: ConnectionState = "connecting";
  private heard = Date.now();
  private isReady = false;
  private wake: (() => void) | null = null;
  private readonly eventListeners = new Set<(event: LiveEvent) => void>();
  private readonly resyncListeners = new Set<() => void>();
  private readonly stateListeners = new Set<() => void>();

  constructor(user: string, parts: BusParts = browserParts) {
    this.name = `almagest-live:${user}`;
    this.parts = parts;
  }

  start(): void {
    this.channel = this.parts.channel(this.name);
    if (this.channel) {
      this.channel.onmessage = (message) => this.hear(message.data as Wire);
    }
    this.post({ kind: "hello" });
    void this.campaign();
    const silence = setInterval(() => this.replaceSilentLeader(), 5_000);
    const online = () => this.wake?.();
    const visible = () => {
      if (document.visibilityState === "visible") this.checkAfterSleep();
    };
    globalThis.addEventListener?.("online", online);
    document.addEventListener("visibilitychange", visible);
    this.stopping.signal.addEventListener("abort", () => {
      clearInterval(silence);
      globalThis.removeEventListener?.("online", online);
      document.removeEventListener("visibilitychange", visible);
    });
  }

  stop(): void {
    this.stopping.abort();
    this.leading?.abort();
    this.channel?.close();
    this.channel = null;
  }

  get state(): ConnectionState {
    return this.connection;
  }

  get leader(): boolean {
    return this.leading !== null;
  }

  get lastId(): number | null {
    return this.cursor;
  }

  onEvent(listener: (event: LiveEvent) => void): () => void {
    this.eventListeners.add(listener);
    return () => this.eventListeners.delete(listener);
  }

  /** Calls back when events may have been missed: whoever shows state loads it again. */
  onResync(listener: () => void): () => void {
    this.resyncListeners.add(listener);
    return () => this.resyncListeners.delete(listener);
  }

  readonly onState = (listener: () => void): (() => void) => {
    this.stateListeners.add(listener);
    return () => this.stateListeners.delete(listener);
  };

  /**
   * Resolves once events flow, or after `limit` milliseconds. What is loaded after that is not
   * older than the first event that arrives, so nothing falls between the two.
   */
  whenReady(limit: number): Promise<void> {
    if (this.isReady) return Promise.resolve();
    return new Promise((resolve) => {
      const off = this.onState(() => {
        if (this.isReady) finish();
      });
      const timer = setTimeout(() => finish(), limit);
      const finish = () => {
        clearTimeout(timer);
        off();
        resolve();
      };
    });
  }

  // --- The other tabs ---

  private post(message: Wire): void {
    this.channel?.postMessage(message);
  }

  private hear(message: Wire): void {
    if (this.stopping.signal.aborted) return;
    this.heard = Date.now();
    switch (message.kind) {
      case "hello":
        if (this.leading) {
          this.post({ kind: "state", state: this.connection, lastId: this.cursor });
        }
        break;
      case "state":
        if (this.leading) break;
        if (this.cursor === null) this.cursor = message.lastId;
        this.setState(message.state, message.state === "open");
        break;
      case "fresh":
        if (this.leading) break;
        this.cursor = message.lastId;
        this.setState("open", true);
        this.resync();
        break;
      case "frame":
        // A stolen leader may still relay for a moment; ids make that harmless.
        this.deliver(message.frame, message.previous, message.at);
        break;
      case "alive":
        break;
    }
  }

  private replaceSilentLeader(): void {
    if (this.leading || !this.parts.locks || !this.isReady) return;
    if (Date.now() - this.heard < LEADER_SILENCE_MS) return;
    this.heard = Date.now();
    void this.parts.locks
      .request(this.name, { steal: true }, () => this.lead())
      .catch(() => this.leading?.abort());
  }

  // --- Leading ---

  private async campaign(): Promise<void> {
    const { locks } = this.parts;
    if (!locks) {
      await this.lead();
      return;
    }
    while (!this.stopping.signal.aborted) {
      try {
        await locks.request(this.name, { signal: this.stopping.signal }, () => this.lead());
      } catch {
        // Stopped, or the lock was stolen because this tab was frozen: queue for it again.
        this.leading?.abort();
        this.leading = null;
      }
    }
  }

  private async lead(): Promise<void> {
    const leading = new AbortController();
    this.leading = leading;
    const abort = () => leading.abort();
    this.stopping.signal.addEventListener("abort", abort);
    if (this.stopping.signal.aborted) leading.abort();
    let failures = 0;
    while (!leading.signal.aborted) {
      const opened = await this.readOnce(leading.signal);
      if (leading.signal.aborted) break;
      failures = opened ? 0 : failures + 1;
      const offline = globalThis.navigator?.onLine === false;
      this.announce(offline ? "offline" : "reconnecting");
      await this.pause(backoff(failures), leading.signal);
    }
    this.stopping.signal.removeEventListener("abort", abort);
    if (this.leading === leading) this.leading = null;
  }

  /** One connection, from open to its end. True when it had been open. */
  private async readOnce(outer: AbortSignal): Promise<boolean> {
    const attempt = new AbortController();
    const abort = () => attempt.abort();
    outer.addEventListener("abort", abort);
    let watchdog = setTimeout(abort, WATCHDOG_MS);
    this.restart = abort;
    const fresh = this.cursor === null;
    let opened = false;
    try {
      const end = await this.parts.stream(
        fresh ? "/api/events?snapshot=1" : `/api/events?after=${this.cursor}`,
        {
          signal: attempt.signal,
          onOpen: () => {
            opened = true;
            if (!fresh) this.announce("open");
          },
          onBytes: () => {
            clearTimeout(watchdog);
            watchdog = setTimeout(abort, WATCHDOG_MS);
            this.heard = Date.now();
          },
          onFrame: (frame) => {
            this.relay(frame, fresh);
            return undefined;
          },
        },
      );
      if (end.kind === "status" && end.status === 401) {
        // The next login begins with a bus of its own.
        this.stop();
        reportExpired();
      }
    } catch {
      // Aborted or cut: the loop opens it again after the last id seen.
    } finally {
      clearTimeout(watchdog);
      outer.removeEventListener("abort", abort);
      this.restart = null;
    }
    return opened;
  }

  private restart: (() => void) | null = null;

  /** Handles one frame as the leader. */
  private relay(frame: SseFrame, fresh: boolean): void {
    if (fresh && !this.isReady) this.begin(frame);
    if (frame.event === "snapshot") {
      if (fresh && this.connection !== "open") this.begin(frame);
      return;
    }
    if (frameId(frame) === null) {
      this.post({ kind: "alive" });
      if (this.connection !== "open") this.announce("open");
      return;
    }
    const previous = this.cursor;
    const at = Date.now();
    if (this.deliver(frame, previous, at)) this.post({ kind: "frame", frame, previous, at });
  }

  /** The first frame of a stream without a cursor: what was before it, REST must say. */
  private begin(frame: SseFrame): void {
    const last = frame.event === "snapshot" ? frameData(frame)?.["last_event_id"] : null;
    if (typeof last === "number") this.cursor = last;
    this.post({ kind: "fresh", lastId: this.cursor });
    this.setState("open", true);
    this.resync();
  }

  private announce(state: ConnectionState): void {
    this.setState(state, state === "open");
    this.post({ kind: "state", state, lastId: this.cursor });
  }

  private checkAfterSleep(): void {
    if (this.leading && Date.now() - this.heard > 15_000) this.restart?.();
    this.wake?.();
  }

  private async pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", finish);
        this.wake = null;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      signal.addEventListener("abort", finish);
      this.wake = finish;
    });
  }

  // --- This tab ---

  /** Hands an event to this tab, once. False for what it has already had. */
  private deliver(frame: SseFrame, previous: number | null, at: number): boolean {
    const id = frameId(frame);
    if (id === null || (this.cursor !== null && id <= this.cursor)) return false;
    const gap = this.cursor !== null && previous !== null && previous > this.cursor;
    this.cursor = id;
    const event = parseEvent(frame, at);
    if (event) for (const listener of this.eventListeners) listener(event);
    if (gap) this.resync();
    return true;
  }

  private resync(): void {
    for (const listener of this.resyncListeners) listener();
  }

  private setState(state: ConnectionState, ready: boolean): void {
    if (ready) this.isReady = true;
    if (state === this.connection && !ready) return;
    this.connection = state;
    for (const listener of this.stateListeners) listener();
  }
}

function backoff(failures: number): number {
  if (failures === 0) return 300;
  return Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) * (0.75 + Math.random() / 2);
}
