import { api, done } from "@/api/client";

/** Shortens the context of a session now; throws `ApiError` with the reason when it cannot be. */
export function compact(id: string): Promise<void> {
  return done(api.POST("/api/sessions/{id}/compact", { params: { path: { id } } }));
}

/** Takes the newest summary back: the model sees the messages themselves again. */
export function undoCompaction(id: string): Promise<void> {
  return done(api.POST("/api/sessions/{id}/compact/undo", { params: { path: { id } } }));
}
