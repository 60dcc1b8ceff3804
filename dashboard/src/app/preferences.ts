import { create } from "zustand";
import { persist } from "zustand/middleware";
import { browserLanguage, i18next, type Language } from "@/i18n";

export type Theme = "light" | "dark" | "system";
/** Which key sends a message: Enter alone, or Ctrl (Command) with Enter. */
export type SendKey = "enter" | "mod";

interface Preferences {
  theme: Theme;
  /** Null as long as the browser's language decides. */
  language: Language | null;
  sendKey: SendKey;
  sidebarOpen: boolean;
  dismissedAds: boolean;
  dismissedSandbox: boolean;
  /** Whether models are asked to think first; null leaves it to the server. */
  thinking: boolean | null;
  set: (change: Partial<Omit<Preferences, "set">>) => void;
}

export const STORAGE_KEY = "almagest-preferences";

export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      theme: "system",
      language: null,
      sendKey: "enter",
      sidebarOpen: true,
      dismissedAds: false,
      dismissedSandbox: false,
      thinking: null,
      set: (change) => set(change),
    }),
    { name: STORAGE_KEY },
  ),
);

export function useLanguage(): Language {
  return usePreferences((state) => state.language) ?? browserLanguage();
}

function apply(): void {
  const { theme, language } = usePreferences.getState();
  const dark =
    theme === "dark" || (theme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  const lang = language ?? browserLanguage();
  document.documentElement.lang = lang;
  if (i18next.language !== lang) void i18next.changeLanguage(lang);
}

/** Keeps the document in step with the preferences, those changed in other tabs included. */
export function watchPreferences(): void {
  apply();
  usePreferences.subscribe(apply);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  addEventListener("storage", (event) => {
    if (event.key === STORAGE_KEY) void usePreferences.persist.rehydrate();
  });
}
