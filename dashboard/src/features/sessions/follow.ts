import type { QueryClient } from "@tanstack/react-query";
import type { LiveEvent } from "@/api/events";
import type { LiveBus } from "../live/bus";
import { closeQuestion, questionsQuery, storeQuestion } from "../questions/queries";
import { sessionsQuery, storeSession, touchSession } from "./queries";

/** Keeps the cached lists in step with the stream of events. Returns how to end it. */
export function followEvents(bus: LiveBus, client: QueryClient): () => void {
  const event = (live: LiveEvent) => {
    switch (live.type) {
      case "session_updated":
        storeSession(client, live.data.session);
        break;
      case "run_started": {
        const { session_id, run_id, parent_tool_call_id } = live.data;
        if (session_id && !parent_tool_call_id) {
          touchSession(client, session_id, (s) => ({ ...s, active_run_id: run_id }));
        }
        break;
      }
      case "run_finished": {
        const { session_id, run_id } = live.data;
        if (session_id) {
          touchSession(client, session_id, (s) =>
            s.active_run_id === run_id ? { ...s, active_run_id: null } : s,
          );
        }
        break;
      }
      case "question":
        storeQuestion(client, live.data.question);
        break;
      case "question_closed":
        closeQuestion(client, live.data.id);
        break;
      default:
        break;
    }
  };
  const offEvent = bus.onEvent(event);
  const offResync = bus.onResync(() => {
    void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    void client.invalidateQueries({ queryKey: ["session"] });
    void client.invalidateQueries(questionsQuery);
  });
  return () => {
    offEvent();
    offResync();
  };
}
