import { create } from "zustand";
import { persist } from "zustand/middleware";
import { ApiError, api, body, done } from "@/api/client";
import { uuid } from "@/api/ids";
import type { Message } from "@/api/types";
import { usePreferences } from "@/app/preferences";

/** A message on its way: from the Enter key until the timeline shows it. */
export interface Outgoing {
  clientId: string;
  sessionId: string;
  text: string;
  /** `sent` waits until the timeline, or its queue, shows the stored message. */
  state: "sending" | "failed" | "sent";
  messageId: string | null;
  error: string | null;
  createdAt: number;
  /** Whether the model is asked to think; the server's setting when null or absent. */
  thinking?: boolean | null;
}

interface Outbox {
  items: Outgoing[];
  put: (item: Outgoing) => void;
  update: (clientId: string, change: Partial<Outgoing>) => void;
  remove: (clientIds: readonly string[]) => void;
}

const STORAGE_KEY = "almagest-outbox";

/**
 * Kept in localStorage: a message whose answer never came is not lost with the page, and can be
 * sent again under the same `client_message_id`, which changes nothing when the server had it.
 */
export const useOutbox = create<Outbox>()(
  persist(
    (set) => ({
      items: [],
      put: (item) => set((state) => ({ items: [...state.items, item] })),
      update: (clientId, change) =>
        set((state) => ({
          items: state.items.map((item) =>
            item.clientId === clientId ? { ...item, ...change } : item,
          ),
        })),
      remove: (clientIds) =>
        set((state) => ({
          items: state.items.filter((item) => !clientIds.includes(item.clientId)),
        })),
    }),
    { name: STORAGE_KEY },
  ),
);

/** A request that a reload cut off is repeated within this time; later the user decides. */
const RECOVER_MS = 120_000;

/**
 * Takes care of what a reload left in mid-request: nobody waits for its answer any more. Sending
 * it again finds out what became of it, and changes nothing when the server had it.
 */
export function recoverOutbox(now = Date.now()): void {
  for (const item of useOutbox.getState().items) {
    if (item.state !== "sending") continue;
    if (now - item.createdAt < RECOVER_MS) void post(item);
    else useOutbox.getState().update(item.clientId, { state: "failed", error: null });
  }
}

/** Follows what other tabs put into the outbox. Called once, by the application. */
export function watchOutbox(): void {
  addEventListener("storage", (event) => {
    if (event.key === STORAGE_KEY) void useOutbox.persist.rehydrate();
  });
}

async function post(item: Outgoing): Promise<void> {
  const { update } = useOutbox.getState();
  update(item.clientId, { state: "sending", error: null });
  try {
    const accepted = await body(
      api.POST("/api/sessions/{id}/runs", {
        params: { path: { id: item.sessionId } },
        body: {
          message: item.text,
          client_message_id: item.clientId,
          ...(typeof item.thinking === "boolean" ? { enable_thinking: item.thinking } : {}),
        },
      }),
    );
    update(item.clientId, {
      state: "sent",
      messageId: accepted.message_id,
    });
  } catch (error) {
    update(item.clientId, {
      state: "failed",
      error: error instanceof ApiError ? error.message : "",
    });
  }
}

export function send(sessionId: string, text: string): Promise<void> {
  const item: Outgoing = {
    clientId: uuid(),
    sessionId,
    text,
    state: "sending",
    messageId: null,
    error: null,
    createdAt: Date.now(),
    thinking: usePreferences.getState().thinking,
  };
  useOutbox.getState().put(item);
  return post(item);
}

export function resend(item: Outgoing): Promise<void> {
  return post(item);
}

export function discard(item: Outgoing): void {
  useOutbox.getState().remove([item.clientId]);
}

/** Changes a waiting message; throws `ApiError` (404, 409) when it is too late. */
export function editQueued(message: Message, text: string): Promise<void> {
  return done(
    api.PATCH("/api/sessions/{id}/queue/{message_id}", {
      params: { path: { id: message.session_id, message_id: message.id } },
      body: { message: text },
    }),
  );
}

export function withdrawQueued(message: Message): Promise<void> {
  return done(
    api.DELETE("/api/sessions/{id}/queue/{message_id}", {
      params: { path: { id: message.session_id, message_id: message.id } },
    }),
  );
}
