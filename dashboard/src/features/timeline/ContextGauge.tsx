import { useTranslation } from "react-i18next";
import { formatCount } from "@/components/format";
import type { Timeline } from "./model";

const R = 6.5;
const LENGTH = 2 * Math.PI * R;

/** How full the model's context is, as a small ring; the figures in its tooltip. */
export function ContextGauge({ context }: { context: NonNullable<Timeline["context"]> }) {
  const { t } = useTranslation();
  const { tokens, window, usage } = context;
  if (window <= 0) return null;
  const share = Math.min(1, tokens / window);
  const percent = Math.round(share * 100);
  const label = t("run.contextOf", {
    used: formatCount(tokens),
    window: formatCount(window),
    percent,
  });
  const cost = usage
    ? t("run.tokens", {
        input: formatCount(usage.input_tokens),
        output: formatCount(usage.output_tokens),
      })
    : "";
  return (
    <span
      role="img"
      aria-label={label}
      title={[label, cost].filter(Boolean).join("\n")}
      data-testid="context-gauge"
      className="inline-flex items-center gap-1.5 text-xs text-faint tabular-nums"
    >
      <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" className="-rotate-90">
        <circle cx="8" cy="8" r={R} fill="none" stroke="var(--line)" strokeWidth="2.2" />
        <circle
          cx="8"
          cy="8"
          r={R}
          fill="none"
          stroke={share > 0.8 ? "var(--gold)" : "var(--accent)"}
          strokeWidth="2.2"
          strokeDasharray={`${LENGTH * share} ${LENGTH}`}
        />
      </svg>
      {percent}%
    </span>
  );
}
