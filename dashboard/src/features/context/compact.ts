import { api, done } from "@/api/client";

/** Takes the newest summary back: the model sees the messages themselves again. */
export function undoCompaction(id: string): Promise<void> {
  return done(api.POST("/api/sessions/{id}/compact/undo", { params: { path: { id } } }));
}
