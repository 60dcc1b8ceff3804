import { createContext, useContext } from "react";
import { EMPTY_TIMELINE, type Timeline } from "./model";

/** The whole timeline, for the cards that must look up calls and lanes. */
export const TimelineContext = createContext<Timeline>(EMPTY_TIMELINE);

export function useTimeline(): Timeline {
  return useContext(TimelineContext);
}
