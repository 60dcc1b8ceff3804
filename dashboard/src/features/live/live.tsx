import { useQueryClient } from "@tanstack/react-query";
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from "react";
import { recoverOutbox } from "../composer/outbox";
import { followEvents } from "../sessions/follow";
import { type ConnectionState, LiveBus } from "./bus";

const LiveContext = createContext<LiveBus | null>(null);

/** Gives the pages below it the stream of events of the user who is logged in. */
export function LiveProvider({ user, children }: { user: string; children: ReactNode }) {
  const client = useQueryClient();
  const bus = useMemo(() => new LiveBus(user), [user]);
  useEffect(() => {
    const off = followEvents(bus, client);
    bus.start();
    recoverOutbox();
    return () => {
      off();
      bus.stop();
    };
  }, [bus, client]);
  return <LiveContext value={bus}>{children}</LiveContext>;
}

export function useLiveBus(): LiveBus {
  const bus = useContext(LiveContext);
  if (!bus) throw new Error("useLiveBus outside of LiveProvider");
  return bus;
}

export function useConnection(): ConnectionState {
  const bus = useLiveBus();
  return useSyncExternalStore(bus.onState, () => bus.state);
}
