import { useEffect, useRef } from "react";
import { useSearchParams } from "react-router";
import type { Timeline } from "@/features/timeline/model";
import { useOpenChoices } from "@/features/timeline/open";

/** How long a message may take to be drawn. */
const PATIENCE_MS = 4000;

/**
 * Goes to the message that the address names (`?m=`), opens what hides it, and lights it up. Each
 * click on a hit asks anew, the same message included.
 */
export function useJump(ready: boolean, timeline: Timeline, release: () => void): void {
  const [params, setParams] = useSearchParams();
  const target = params.get("m");
  const latest = useRef(timeline);
  latest.current = timeline;
  useEffect(() => {
    if (!ready || !target) return;
    release();
    const tool = Object.values(latest.current.tools).find((each) => each.messageId === target);
    // A result may lie in a folded group: the group's key holds each of its entries.
    if (tool) useOpenChoices.getState().choose([`g:${tool.id}`], true);
    const deadline = Date.now() + PATIENCE_MS;
    let frame = 0;
    const look = () => {
      const element = document.getElementById(`m-${target}`);
      if (!element && Date.now() < deadline) {
        frame = requestAnimationFrame(look);
        return;
      }
      if (element) flash(element);
      setParams(
        (old) => {
          old.delete("m");
          return old;
        },
        { replace: true },
      );
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [ready, target, release, setParams]);
}

function flash(element: HTMLElement): void {
  element.scrollIntoView({ block: "center" });
  element.classList.remove("flash");
  // Restarts the animation when the same message is asked for again.
  void element.offsetWidth;
  element.classList.add("flash");
  element.addEventListener("animationend", () => element.classList.remove("flash"), { once: true });
}
