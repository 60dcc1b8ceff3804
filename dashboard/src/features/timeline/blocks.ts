import type { Message } from "@/api/types";
import type { HookView, Item, Lane, Notice, ToolView } from "./model";

/** One step of the work between two answers: a thought or a call. */
export type Entry =
  | {
      kind: "thinking";
      key: string;
      /** Every name it has had, so that what was chosen while it streamed still holds. */
      names: readonly string[];
      text: string;
      live: boolean;
      ms: number | null;
    }
  | { kind: "tool"; key: string; toolId: string };

/** What the page draws, top to bottom. */
export type Block =
  | { kind: "user"; key: string; message: Message }
  | { kind: "summary"; key: string; message: Message }
  | { kind: "work"; key: string; entries: Entry[] }
  | {
      kind: "answer";
      key: string;
      messageId: string | null;
      text: string;
      model: string | null;
      live: boolean;
      createdAt: string | null;
      /** It ends the turn: no calls follow from it. */
      final: boolean;
    }
  | { kind: "notice"; key: string; notice: Exclude<Notice, { kind: "hook" }> }
  /** Hooks that ran one after the other and belong to no call. */
  | { kind: "hooks"; key: string; hooks: HookView[] };

/** Below this a hook that let things pass is not worth a line. */
const QUICK_MS = 1000;

/** A hook that changed nothing and held nothing up. */
export function isQuiet(hook: HookView): boolean {
  return /^(continue|allow|none)$/i.test(hook.decision) && hook.ms < QUICK_MS;
}

/**
 * The blocks of a lane. Consecutive thoughts and calls, over as many model steps as they take,
 * become one block of work; words of the assistant end it.
 */
export function toBlocks(lane: Lane): Block[] {
  const blocks: Block[] = [];
  const work = (entry: Entry) => {
    const last = blocks.at(-1);
    if (last?.kind === "work") last.entries.push(entry);
    else blocks.push({ kind: "work", key: `w-${entry.key}`, entries: [entry] });
  };
  const step = (s: Step) => {
    if (s.thinking.trim()) {
      work({
        kind: "thinking",
        key: `t-${s.key}`,
        names: [...new Set([s.key, ...s.names])].map((name) => `t-${name}`),
        text: s.thinking,
        live: s.live && !s.text && s.toolIds.length === 0,
        ms: s.thinkingMs,
      });
    }
    if (s.text.trim()) {
      blocks.push({
        kind: "answer",
        key: `a-${s.key}`,
        messageId: s.message?.id ?? null,
        text: s.text,
        model: s.message?.model ?? null,
        live: s.live,
        createdAt: s.message?.created_at ?? null,
        final: !s.live && s.toolIds.length === 0,
      });
    }
    for (const toolId of s.toolIds) work({ kind: "tool", key: toolId, toolId });
  };
  const messages = new Set(
    lane.items.flatMap((item) => (item.kind === "message" ? [item.message.id] : [])),
  );
  for (const item of lane.items) {
    if (item.kind === "notice") {
      const { notice } = item;
      if (notice.kind === "hook") {
        const last = blocks.at(-1);
        if (last?.kind === "hooks") last.hooks.push(notice.hook);
        else blocks.push({ kind: "hooks", key: item.key, hooks: [notice.hook] });
        continue;
      }
      // The card of its summary says the same, and more.
      const shown = notice.kind === "compaction" && messages.has(notice.summaryId ?? "");
      if (!shown) blocks.push({ kind: "notice", key: item.key, notice });
    } else if (item.kind === "partial") {
      step(draftStep(item.draft, false));
    } else if (item.message.role === "user" || item.message.role === "summary") {
      blocks.push({ kind: item.message.role, key: item.key, message: item.message });
    } else {
      step(messageStep(item));
    }
  }
  if (lane.draft) step(draftStep(lane.draft, true));
  return blocks;
}

interface Step {
  key: string;
  names: readonly string[];
  message: Message | null;
  text: string;
  thinking: string;
  toolIds: readonly string[];
  live: boolean;
  thinkingMs: number | null;
}

function messageStep(item: Extract<Item, { kind: "message" }>): Step {
  return {
    key: item.key,
    names: [item.message.id, ...(item.draftKey ? [item.draftKey] : [])],
    message: item.message,
    text: item.message.content,
    thinking: item.message.thinking ?? "",
    toolIds: item.toolIds,
    live: false,
    thinkingMs: item.thinkingMs,
  };
}

function draftStep(draft: NonNullable<Lane["draft"]>, live: boolean): Step {
  const { thinkingFrom, thinkingTo } = draft;
  return {
    key: draft.key,
    names: [],
    message: null,
    text: draft.text,
    thinking: draft.thinking,
    toolIds: draft.toolIds,
    live,
    thinkingMs: thinkingFrom && thinkingTo ? thinkingTo - thinkingFrom : null,
  };
}

/** How long a call took, in milliseconds; the server's own figure where it gives one. */
export function toolDuration(tool: ToolView): number | null {
  const meta = tool.metadata as { duration_ms?: unknown } | null;
  if (typeof meta?.duration_ms === "number") return meta.duration_ms;
  if (tool.startedAt === null || tool.endedAt === null) return null;
  return Math.max(0, tool.endedAt - tool.startedAt);
}
