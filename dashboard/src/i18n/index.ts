import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { en } from "./en";
import { zh } from "./zh";

export const LANGUAGES = { en: "English", zh: "中文" } as const;
export type Language = keyof typeof LANGUAGES;

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof en };
  }
}

export function browserLanguage(): Language {
  return /^zh/i.test(navigator.language) ? "zh" : "en";
}

void i18next.use(initReactI18next).init({
  resources: { en: { translation: en }, zh: { translation: zh } },
  lng: browserLanguage(),
  fallbackLng: "en",
  // React escapes; a second time would show entities.
  interpolation: { escapeValue: false },
});

export { i18next };
