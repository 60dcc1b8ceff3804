import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RunView } from "./model";

/** The foot of a run that is going: that it works, or why it waits. */
export function RunStatus({ run, quiet }: { run: RunView; quiet: boolean }) {
  const { t } = useTranslation();
  if (run.retry) return <Retry retry={run.retry} />;
  if (quiet) return null;
  return (
    <p className="mt-4 flex items-center gap-2 text-[0.8125rem] text-faint">
      <span className="orbit" aria-hidden="true" />
      {t("chat.working")}
    </p>
  );
}

function Retry({ retry }: { retry: NonNullable<RunView["retry"]> }) {
  const { t } = useTranslation();
  const [now, setNow] = useState(Date.now);
  // A replayed wait has no known start; it counts from when it is first shown.
  const [shown] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const until = retry.until ?? shown + retry.waitMs;
  const left = Math.ceil((until - now) / 1000);
  return (
    <div
      data-testid="retrying"
      className="mt-4 flex items-start gap-2.5 rounded-xl bg-gold-soft px-4 py-2.5 text-[0.8125rem]"
    >
      <span className="orbit mt-[3px]" aria-hidden="true" />
      <p className="min-w-0 break-words">
        {t("run.retrying", { attempt: retry.attempt, reason: retry.reason })}{" "}
        <span className="text-soft tabular-nums">
          {left > 0 ? t("run.retryIn", { count: left }) : t("run.retryNow")}
        </span>
      </p>
    </div>
  );
}
