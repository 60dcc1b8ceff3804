import { Lightbulb } from "lucide-react";
import { useTranslation } from "react-i18next";
import { usePreferences } from "@/app/preferences";

/** Whether the model is asked to think first. As long as nobody touched it, the server decides. */
export function ThinkingSwitch() {
  const { t } = useTranslation();
  const thinking = usePreferences((state) => state.thinking);
  const set = usePreferences((state) => state.set);
  const label = t(thinking === null ? "model.thinkingServer" : "model.thinking");
  return (
    <button
      type="button"
      role="switch"
      aria-checked={thinking === true}
      aria-label={label}
      title={label}
      data-testid="thinking-switch"
      onClick={() => set({ thinking: thinking !== true })}
      className={`inline-flex h-8 flex-none items-center gap-1.5 rounded-lg px-2 text-xs transition-colors hover:bg-sunken ${thinking ? "bg-accent-soft font-medium text-accent" : "text-soft hover:text-ink"}`}
    >
      <Lightbulb size={14} aria-hidden="true" />
      <span className="max-sm:hidden">{t("model.think")}</span>
    </button>
  );
}
