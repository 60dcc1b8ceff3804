import { api, body, done } from "@/api/client";

/**
 * Has the context of a session shortened, at once or by the run that is going; how it ends comes
 * as an event. Throws `ApiError` with the reason when it cannot be.
 */
export async function compact(id: string): Promise<void> {
  await body(api.POST("/api/sessions/{id}/compact", { params: { path: { id } } }));
}

/** Takes the newest summary back: the model sees the messages themselves again. */
export function undoCompaction(id: string): Promise<void> {
  return done(api.POST("/api/sessions/{id}/compact/undo", { params: { path: { id } } }));
}
