import { Languages, Monitor, Moon, Sun } from "lucide-react";
import { useTranslation } from "react-i18next";
import { type Theme, useLanguage, usePreferences } from "@/app/preferences";
import { IconButton } from "@/components/Button";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function ThemeToggle() {
  const { t } = useTranslation();
  const theme = usePreferences((state) => state.theme);
  const set = usePreferences((state) => state.set);
  const Icon = { light: Sun, dark: Moon, system: Monitor }[theme];
  return (
    <IconButton
      label={t("settings.themeToggle", { theme: t(`settings.themes.${theme}`) })}
      data-testid="theme-toggle"
      data-theme-choice={theme}
      onClick={() => set({ theme: NEXT[theme] })}
    >
      <Icon size={16} />
    </IconButton>
  );
}

export function LanguageToggle() {
  const { t } = useTranslation();
  const language = useLanguage();
  const set = usePreferences((state) => state.set);
  return (
    <IconButton
      label={t("settings.languageToggle")}
      data-testid="language-toggle"
      lang={language === "en" ? "zh" : "en"}
      onClick={() => set({ language: language === "en" ? "zh" : "en" })}
    >
      <Languages size={16} />
    </IconButton>
  );
}
