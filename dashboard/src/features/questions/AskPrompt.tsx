import { ArrowUp, CircleHelp, ShieldQuestion } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Question } from "@/api/types";
import { Button } from "@/components/Button";
import { useLateAnswers } from "./queries";
import { goToQuestion, useInSight } from "./reach";
import { formatLeft, useSecondsLeft } from "./time";

/** How long it is said that an answer came too late. */
const LATE_MS = 8000;

/** Above the composer: that the agent waits, while its question is out of sight. */
export function AskPrompt({
  sessionId,
  questions,
}: {
  sessionId: string;
  questions: readonly Question[];
}) {
  const first = questions[0];
  const inSight = useInSight((state) => state.ids);
  const hidden = questions.every((question) => inSight[question.id] === false);
  return (
    <>
      <Late sessionId={sessionId} />
      {first && hidden && <Prompt first={first} count={questions.length} />}
    </>
  );
}

function Prompt({ first, count }: { first: Question; count: number }) {
  const { t } = useTranslation();
  const left = useSecondsLeft(first.expires_at);
  const Icon = first.kind === "permission" ? ShieldQuestion : CircleHelp;
  return (
    <section
      aria-label={t("question.open", { count })}
      data-testid="ask-prompt"
      className="mb-2 flex items-center gap-2.5 rounded-xl border border-gold/45 bg-gold-soft py-1.5 pr-1.5 pl-3.5 text-[0.8125rem] shadow-card"
    >
      <Icon size={15} className="flex-none text-gold" aria-hidden="true" />
      <p className="min-w-0 flex-1 truncate">
        {count > 1 && (
          <strong className="mr-1.5 font-semibold">{t("question.open", { count })}</strong>
        )}
        {first.message}
      </p>
      <span className="flex-none text-xs text-soft tabular-nums">{formatLeft(left)}</span>
      <Button className="h-7!" data-testid="ask-show" onClick={() => goToQuestion(first)}>
        <ArrowUp size={13} aria-hidden="true" />
        {t("ask.show")}
      </Button>
    </section>
  );
}

function Late({ sessionId }: { sessionId: string }) {
  const { t } = useTranslation();
  const since = useLateAnswers((state) => state.sessions[sessionId]);
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (since === undefined) return;
    const left = since + LATE_MS - Date.now();
    setShown(left > 0);
    const timer = setTimeout(() => setShown(false), Math.max(0, left));
    return () => clearTimeout(timer);
  }, [since]);
  return (
    <p
      role="status"
      data-testid="ask-late"
      className={shown ? "mb-2 text-center text-xs text-soft" : "sr-only"}
    >
      {shown ? t("ask.elsewhere") : ""}
    </p>
  );
}
