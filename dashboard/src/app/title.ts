import { useEffect } from "react";
import { create } from "zustand";

/** How many questions wait for an answer; shown before the title. */
export const useBadge = create<{ count: number }>(() => ({ count: 0 }));

/** Names the tab after what it shows. */
export function useTitle(title: string): void {
  const count = useBadge((state) => state.count);
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${title ? `${title} · ` : ""}Almagest`;
  }, [title, count]);
}
