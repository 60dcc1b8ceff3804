import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Nearer to the end than this counts as being there. */
const SLACK_PX = 48;

/**
 * Keeps the end of a growing page in view, but only while the reader is there: whoever scrolls up
 * is left alone until they come back or ask for the latest.
 */
export function useFollow(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
  resetKey: string,
) {
  const [pinned, setPinned] = useState(true);
  const pinnedRef = useRef(true);
  const lastTop = useRef(0);

  const pin = useCallback((value: boolean) => {
    pinnedRef.current = value;
    setPinned(value);
  }, []);

  const toEnd = useCallback(() => {
    const box = scroller.current;
    if (!box) return;
    pin(true);
    box.scrollTop = box.scrollHeight;
  }, [scroller, pin]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation starts at its end.
  useLayoutEffect(() => toEnd(), [resetKey, toEnd]);

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return;
    let lastHeight = box.scrollHeight;
    const onScroll = () => {
      const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < SLACK_PX;
      // Growth moves the end away without moving the reader, and a page that shrinks moves them
      // up without their doing; only going up on a page that stays as it is lets go.
      if (atEnd) pin(true);
      else if (box.scrollTop < lastTop.current - 1 && box.scrollHeight >= lastHeight) pin(false);
      lastTop.current = box.scrollTop;
      lastHeight = box.scrollHeight;
    };
    // Growth and a turn of the wheel may fall together; the wheel alone is clear enough.
    const onWheel = (event: WheelEvent) => {
      if (event.deltaY < 0 && box.scrollTop > 0) pin(false);
    };
    const follow = () => {
      if (pinnedRef.current) box.scrollTop = box.scrollHeight;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(box);
    box.addEventListener("scroll", onScroll, { passive: true });
    box.addEventListener("wheel", onWheel, { passive: true });
    return () => {
      observer.disconnect();
      box.removeEventListener("scroll", onScroll);
      box.removeEventListener("wheel", onWheel);
    };
  }, [scroller, content, pin]);

  return { pinned, toEnd, release: useCallback(() => pin(false), [pin]) };
}
