import { useEffect, useRef } from "react";
import { IS_MAC } from "@/components/format";

interface Shortcuts {
  search: () => void;
  newSession: () => void;
  toggleSidebar: () => void;
  question: () => void;
  escape: () => void;
}

/** Ctrl/Cmd+K, Ctrl/Cmd+B, Alt+N (browsers keep Ctrl+N for themselves) and Alt+Q. */
export function useShortcuts(actions: Shortcuts): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.isComposing || event.defaultPrevented) return;
      const mod = IS_MAC ? event.metaKey : event.ctrlKey;
      const key = event.key.toLowerCase();
      if (mod && !event.shiftKey && !event.altKey && key === "k") {
        event.preventDefault();
        latest.current.search();
      } else if (mod && !event.shiftKey && !event.altKey && key === "b") {
        event.preventDefault();
        latest.current.toggleSidebar();
      } else if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyN") {
        event.preventDefault();
        latest.current.newSession();
      } else if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyQ") {
        event.preventDefault();
        latest.current.question();
      } else if (event.key === "Escape") {
        latest.current.escape();
      }
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, []);
}
