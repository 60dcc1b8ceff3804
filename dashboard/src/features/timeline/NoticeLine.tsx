import { CircleAlert, CircleStop, FoldVertical, Play, Shuffle } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, api, done } from "@/api/client";
import { Button } from "@/components/Button";
import { formatCount } from "@/components/format";
import type { Notice } from "./model";
import { useTimeline } from "./TimelineContext";

const REASONS = ["max_steps", "loop_guard", "fallback_exhausted", "stop_hook", "error"] as const;

/** Something about the run that is neither said nor done by the model. */
export function NoticeLine({ notice }: { notice: Exclude<Notice, { kind: "hook" }> }) {
  const { t } = useTranslation();
  switch (notice.kind) {
    case "run_end":
      return <RunEnd notice={notice} />;
    case "error":
      return (
        <Card title={t("run.error")} tone="bad" icon={<CircleAlert size={16} />}>
          {notice.detail || notice.code}
        </Card>
      );
    case "model_switched":
      return (
        <Line icon={<Shuffle size={14} />} testId="model-switched">
          {t("run.switched", { from: notice.from, to: notice.to, reason: notice.reason })}
        </Line>
      );
    case "compaction":
      return (
        <Line icon={<FoldVertical size={14} />} testId="compaction-line">
          {notice.skipped
            ? t("run.compactSkipped", { reason: notice.skipped })
            : t(notice.layer === "micro" ? "run.compactedMicro" : "run.compacted", {
                before: formatCount(notice.before),
                after: formatCount(notice.after),
              })}
        </Line>
      );
  }
}

function RunEnd({ notice }: { notice: Extract<Notice, { kind: "run_end" }> }) {
  const { t } = useTranslation();
  const newest = Object.keys(useTimeline().runs).at(-1);
  const known = REASONS.find((reason) => reason === notice.reason);
  const reason = known ? t(`run.reason.${known}`) : notice.reason;
  if (notice.status === "interrupted") {
    return (
      <Card
        title={t("run.interrupted")}
        tone="gold"
        icon={<CircleStop size={16} />}
        status={notice.status}
      >
        <p>{notice.detail || t("run.interruptedText")}</p>
        {newest === notice.runId && <Continue runId={notice.runId} />}
      </Card>
    );
  }
  if (notice.status === "failed") {
    return (
      <Card
        title={t("run.failed")}
        tone="bad"
        icon={<CircleAlert size={16} />}
        status={notice.status}
      >
        {reason && <p>{reason}</p>}
        {notice.detail && <p className="break-words">{notice.detail}</p>}
      </Card>
    );
  }
  const text = [
    t(notice.status === "stopped" ? "run.stopped" : "run.completed"),
    reason,
    notice.detail,
  ];
  return (
    <Line icon={<CircleStop size={14} />} status={notice.status}>
      {text.filter(Boolean).join(" · ")}
    </Line>
  );
}

function Continue({ runId }: { runId: string }) {
  const { t } = useTranslation();
  const [state, setState] = useState<"idle" | "asking" | "done">("idle");
  const [failure, setFailure] = useState<string | null>(null);
  const go = async () => {
    setState("asking");
    setFailure(null);
    try {
      await done(api.POST("/api/runs/{id}/continue", { params: { path: { id: runId } } }));
      setState("done");
    } catch (error) {
      setState("idle");
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("run.continueFailed", { detail }));
    }
  };
  if (state === "done") return null;
  return (
    <div className="mt-2 flex items-center gap-3">
      <Button
        look="primary"
        data-testid="continue-run"
        disabled={state === "asking"}
        onClick={() => void go()}
      >
        <Play size={13} aria-hidden="true" />
        {t("run.continue")}
      </Button>
      {failure && (
        <span role="alert" className="text-bad">
          {failure}
        </span>
      )}
    </div>
  );
}

function Line({
  icon,
  children,
  status,
  testId,
}: {
  icon: ReactNode;
  children: ReactNode;
  status?: string;
  testId?: string;
}) {
  return (
    <p
      data-testid={status ? "run-end" : testId}
      data-status={status}
      className="mt-4 flex items-center gap-2 text-[0.8125rem] text-faint"
    >
      <span aria-hidden="true" className="flex-none">
        {icon}
      </span>
      <span className="min-w-0 break-words">{children}</span>
    </p>
  );
}

function Card({
  title,
  tone,
  icon,
  children,
  status,
}: {
  title: string;
  tone: "bad" | "gold";
  icon: ReactNode;
  children: ReactNode;
  status?: string;
}) {
  return (
    <section
      aria-label={title}
      data-testid={status ? "run-end" : undefined}
      data-status={status}
      className={`mt-4 flex gap-3 rounded-xl px-4 py-3 text-[0.8125rem] ${tone === "bad" ? "bg-bad-soft" : "bg-gold-soft"}`}
    >
      <span
        aria-hidden="true"
        className={`mt-px flex-none ${tone === "bad" ? "text-bad" : "text-gold"}`}
      >
        {icon}
      </span>
      <div className="min-w-0 flex-1 text-soft">
        <h3 className="font-semibold text-ink">{title}</h3>
        {children}
      </div>
    </section>
  );
}
