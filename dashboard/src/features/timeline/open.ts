import { create } from "zustand";
import { createJSONStorage, persist } from "zustand/middleware";

interface OpenChoices {
  /** What the user opened or closed by hand, by tool call, group or thought. */
  choices: Record<string, boolean>;
  choose: (keys: readonly string[], open: boolean) => void;
}

const LIMIT = 1000;

/**
 * Kept outside of the components, so that a choice survives streaming, remounts and a reload of
 * the tab. What was never chosen follows the default of the place.
 */
export const useOpenChoices = create<OpenChoices>()(
  persist(
    (set) => ({
      choices: {},
      choose: (keys, open) =>
        set((state) => {
          const entries = Object.entries(state.choices).filter(([key]) => !keys.includes(key));
          for (const key of keys) entries.push([key, open]);
          return { choices: Object.fromEntries(entries.slice(-LIMIT)) };
        }),
    }),
    { name: "almagest-open", storage: createJSONStorage(() => sessionStorage) },
  ),
);

/** The state of one foldable thing and how to turn it. Any of its keys may hold the choice. */
export function useOpen(keys: readonly string[], byDefault: boolean): [boolean, () => void] {
  const chosen = useOpenChoices((state) => {
    for (const key of keys) {
      const choice = state.choices[key];
      if (choice !== undefined) return choice;
    }
    return undefined;
  });
  const choose = useOpenChoices((state) => state.choose);
  const open = chosen ?? byDefault;
  return [open, () => choose(keys, !open)];
}
