import { createContext } from "react";

/** What the cards of summaries must know about their session. */
export const SummaryContext = createContext<{
  sessionId: string;
  /** The summary that can be taken back. */
  newest: string | null;
  onChanged: () => void;
}>({ sessionId: "", newest: null, onChanged: () => undefined });
