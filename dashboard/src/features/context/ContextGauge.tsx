import { FoldVertical, Undo2 } from "lucide-react";
import { Popover } from "radix-ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { Button } from "@/components/Button";
import { formatCount } from "@/components/format";
import type { Timeline } from "@/features/timeline/model";
import { compact, undoCompaction } from "./compact";

const R = 6.5;
const LENGTH = 2 * Math.PI * R;
/** From here on the context will soon be shortened by itself. */
const NEARLY_FULL = 0.8;

/** How full the model's context is, as a small ring; the figures, and what can be done, on a click. */
export function ContextGauge({
  sessionId,
  context,
  canUndo,
  onChanged,
}: {
  sessionId: string;
  context: NonNullable<Timeline["context"]>;
  /** There is a summary that can be taken back. */
  canUndo: boolean;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const { tokens, window } = context;
  if (window <= 0) return null;
  const share = Math.min(1, tokens / window);
  const percent = Math.round(share * 100);
  const label = t("run.contextOf", {
    used: formatCount(tokens),
    window: formatCount(window),
    percent,
  });
  return (
    <Popover.Root>
      <Popover.Trigger
        title={label}
        data-testid="context-gauge"
        data-percent={percent}
        className="inline-flex h-8 flex-none items-center gap-1.5 rounded-lg px-2 text-xs text-soft tabular-nums transition-colors hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken"
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true" className="-rotate-90">
          <circle cx="8" cy="8" r={R} fill="none" stroke="var(--line-strong)" strokeWidth="2.2" />
          <circle
            cx="8"
            cy="8"
            r={R}
            fill="none"
            stroke={share > NEARLY_FULL ? "var(--gold)" : "var(--accent)"}
            strokeWidth="2.2"
            strokeDasharray={`${LENGTH * share} ${LENGTH}`}
          />
        </svg>
        <span className="sr-only">{label}</span>
        <span aria-hidden="true">{percent}%</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-label={t("run.context")}
          data-testid="context-popover"
          className="z-50 w-[min(19rem,calc(100vw-1.5rem))] rounded-xl border border-line bg-raised p-4 text-[0.8125rem] text-ink shadow-card outline-none"
        >
          <Figures context={context} share={share} percent={percent} />
          <Actions sessionId={sessionId} canUndo={canUndo} onChanged={onChanged} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Figures({
  context,
  share,
  percent,
}: {
  context: NonNullable<Timeline["context"]>;
  share: number;
  percent: number;
}) {
  const { t } = useTranslation();
  const { tokens, window, usage } = context;
  const rows: [string, string][] = [];
  if (usage) {
    rows.push([t("gauge.read"), formatCount(usage.input_tokens)]);
    if (usage.input_tokens > 0) {
      const cached = Math.round((usage.cached_tokens / usage.input_tokens) * 100);
      rows.push([t("gauge.cached"), `${cached}%`]);
    }
    rows.push([t("gauge.written"), formatCount(usage.output_tokens)]);
    if (typeof usage.cost_usd === "number") {
      rows.push([t("gauge.cost"), `$${usage.cost_usd.toFixed(usage.cost_usd < 1 ? 3 : 2)}`]);
    }
  }
  return (
    <>
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="font-semibold">{t("run.context")}</h2>
        <p className="text-soft tabular-nums">
          {formatCount(tokens)} / {formatCount(window)}
        </p>
      </div>
      <div className="mt-2 h-1.5 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
        <div
          className={`h-full rounded-full ${share > NEARLY_FULL ? "bg-gold" : "bg-accent"}`}
          style={{ width: `${percent}%` }}
        />
      </div>
      {rows.length > 0 && (
        <>
          <h3 className="mt-4 text-2xs font-medium text-faint">{t("gauge.run")}</h3>
          <dl className="mt-1 grid grid-cols-[1fr_auto] gap-y-1 tabular-nums">
            {rows.map(([name, value]) => (
              <div key={name} className="contents">
                <dt className="text-soft">{name}</dt>
                <dd className="text-right">{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function Actions({
  sessionId,
  canUndo,
  onChanged,
}: {
  sessionId: string;
  canUndo: boolean;
  onChanged: () => void;
}) {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (work: Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await work;
      onChanged();
    } catch (error) {
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("gauge.failed", { detail }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="mt-4 border-t border-line pt-3">
      <p className="text-xs text-soft">{t("gauge.compactHelp")}</p>
      <div className="mt-2.5 flex flex-wrap gap-2">
        <Button
          disabled={busy}
          data-testid="compact-now"
          onClick={() => void run(compact(sessionId))}
        >
          {busy ? (
            <span className="orbit" aria-hidden="true" />
          ) : (
            <FoldVertical size={14} aria-hidden="true" />
          )}
          {t(busy ? "gauge.compacting" : "gauge.compact")}
        </Button>
        {canUndo && (
          <Button
            look="quiet"
            disabled={busy}
            data-testid="compact-undo"
            onClick={() => void run(undoCompaction(sessionId))}
          >
            <Undo2 size={14} aria-hidden="true" />
            {t("gauge.undo")}
          </Button>
        )}
      </div>
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </div>
  );
}
