import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import { useLiveBus } from "@/features/live/live";
import { browserFeedParts, type FeedState, SessionFeed } from "./feed";

/** The live view of a session, as long as the page shows it. */
export function useFeed(sessionId: string): FeedState & { reload: () => void } {
  const bus = useLiveBus();
  const feed = useMemo(() => new SessionFeed(sessionId, browserFeedParts(bus)), [sessionId, bus]);
  useEffect(() => {
    feed.start();
    return () => feed.stop();
  }, [feed]);
  const state = useSyncExternalStore(feed.subscribe, feed.snapshot);
  const reload = useCallback(() => void feed.load(), [feed]);
  return { ...state, reload };
}
