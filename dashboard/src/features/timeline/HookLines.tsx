import { ChevronRight, Webhook } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/components/format";
import { en } from "@/i18n/en";
import { isQuiet } from "./blocks";
import type { HookView } from "./model";
import { useOpen } from "./open";

/** Hooks of the run as a whole: those that did something in a line each, the rest folded. */
export function HookLines({ hooks }: { hooks: readonly HookView[] }) {
  const { t } = useTranslation();
  const quiet = hooks.filter(isQuiet);
  const [open, toggle] = useOpen(
    hooks.map((hook) => `h-${hook.key}`),
    false,
  );
  const shown = open ? hooks : hooks.filter((hook) => !isQuiet(hook));
  return (
    <section aria-label={t("hook.title")} data-testid="hook-lines" className="mt-4">
      {shown.length > 0 && (
        <ul className="space-y-1">
          {shown.map((hook) => (
            <HookLine key={hook.key} hook={hook} />
          ))}
        </ul>
      )}
      {quiet.length > 0 && (
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="flex items-center gap-1.5 rounded-md py-0.5 pr-2 text-xs text-faint hover:text-ink"
        >
          <ChevronRight
            size={13}
            aria-hidden="true"
            className={`transition-transform ${open ? "rotate-90" : ""}`}
          />
          {t("hook.quiet", { count: quiet.length })}
        </button>
      )}
    </section>
  );
}

type KnownDecision = keyof typeof en.hook.decisions;

function isKnown(decision: string): decision is KnownDecision {
  return Object.hasOwn(en.hook.decisions, decision);
}

const COLOR: Record<string, string> = {
  block: "text-bad",
  deny: "text-bad",
  failed: "text-bad",
  ask: "text-gold",
};

/** What one hook decided, and why. */
export function HookLine({ hook }: { hook: HookView }) {
  const { t } = useTranslation();
  const decision = isKnown(hook.decision) ? t(`hook.decisions.${hook.decision}`) : hook.decision;
  return (
    <li
      data-testid="hook-line"
      data-decision={hook.decision}
      className="flex items-baseline gap-2 px-1.5 text-xs text-faint"
    >
      <Webhook size={12} aria-hidden="true" className="flex-none translate-y-px" />
      <span className="min-w-0">
        <span className="font-mono text-soft [overflow-wrap:anywhere]">{hook.name}</span>{" "}
        <span>{hook.event}</span>{" "}
        <span className={`font-medium ${COLOR[hook.decision] ?? "text-soft"}`}>{decision}</span>
        {hook.detail && <span className="break-words text-soft"> · {hook.detail}</span>}
      </span>
      <span className="ml-auto flex-none tabular-nums">{formatDuration(hook.ms)}</span>
    </li>
  );
}
