import { create } from "zustand";
import { persist } from "zustand/middleware";

/** The key of the draft that has no session yet. */
export const NEW_DRAFT = "new";

interface Drafts {
  texts: Record<string, string>;
  write: (key: string, text: string) => void;
}

/** What is being written, per session; it survives a reload. */
export const useDrafts = create<Drafts>()(
  persist(
    (set) => ({
      texts: {},
      write: (key, text) =>
        set((state) => {
          const { [key]: _old, ...texts } = state.texts;
          return { texts: text === "" ? texts : { ...texts, [key]: text } };
        }),
    }),
    { name: "almagest-drafts" },
  ),
);
