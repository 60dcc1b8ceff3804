import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Timeline } from "@/features/timeline/model";

/** Tells screen readers that a run began or ended; each token would be noise. */
export function LiveStatus({ timeline, questions }: { timeline: Timeline; questions: number }) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const previous = useRef<string | null>(null);
  const { activeRunId, runs } = timeline;
  useEffect(() => {
    const before = previous.current;
    previous.current = activeRunId;
    if (activeRunId && activeRunId !== before) setText(t("chat.statusRunning"));
    if (!activeRunId && before) {
      const status = runs[before]?.status;
      setText(
        t(
          status === "completed"
            ? "chat.statusDone"
            : status === "stopped"
              ? "chat.statusStopped"
              : "chat.statusFailed",
        ),
      );
    }
  }, [activeRunId, runs, t]);
  const asked = useRef(0);
  useEffect(() => {
    if (questions > asked.current) setText(t("ask.statusWaiting", { count: questions }));
    asked.current = questions;
  }, [questions, t]);
  return (
    <p aria-live="polite" className="sr-only">
      {text}
    </p>
  );
}
