import { useQueryClient } from "@tanstack/react-query";
import { CircleHelp, ShieldQuestion } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import type { Decision, QuestionAnswer } from "@/api/pending";
import type { Question } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { Button } from "@/components/Button";
import { formatTime } from "@/components/format";
import { Code } from "@/components/markdown/Code";
import { answerQuestion, closeQuestion } from "./queries";

const DECISIONS: readonly Decision[] = ["once", "session", "always", "deny"];

/** An open question of the agent; the run waits for its answer. */
export function QuestionCard({ question }: { question: Question }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const permission = question.kind === "permission";

  const answer = async (value: QuestionAnswer) => {
    setBusy(true);
    setFailure(null);
    try {
      await answerQuestion(client, question.id, value);
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.status === 409) {
        setFailure(t("question.gone"));
        setTimeout(() => closeQuestion(client, question.id), 2500);
      } else {
        const detail = error instanceof ApiError ? error.message : t("app.unreachable");
        setFailure(t("question.failed", { detail }));
      }
    }
  };
  const comment = text.trim() ? { comment: text.trim() } : {};
  const title = t(permission ? "question.permissionTitle" : "question.askTitle");
  const Icon = permission ? ShieldQuestion : CircleHelp;

  return (
    <section
      aria-label={title}
      data-testid="question-card"
      className="mb-2 rounded-2xl border border-gold/50 bg-gold-soft px-4 py-3 text-[0.8125rem]"
    >
      <header className="flex items-center gap-2">
        <Icon size={16} className="text-gold" aria-hidden="true" />
        <h2 className="font-semibold">{title}</h2>
        <span className="ml-auto text-xs text-soft tabular-nums">
          {t("question.expires", { time: formatTime(question.expires_at, language) })}
        </span>
      </header>
      <p className="mt-1.5 text-[0.875rem] break-words whitespace-pre-wrap">{question.message}</p>
      {permission && question.tool && (
        <div className="mt-2">
          <Code
            code={`${question.tool} ${JSON.stringify(question.arguments ?? {}, null, 2)}`}
            language="json"
            maxHeight="max-h-40"
          />
        </div>
      )}
      {!permission && question.options && question.options.length > 0 && (
        <div className="mt-2.5 flex flex-wrap gap-2">
          {question.options.map((option) => (
            <Button key={option} disabled={busy} onClick={() => void answer({ answer: option })}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <form
        className="mt-2.5 flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!permission && text.trim()) void answer({ answer: text.trim() });
        }}
      >
        <input
          aria-label={t(permission ? "question.comment" : "question.answer")}
          placeholder={t(permission ? "question.comment" : "question.answer")}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-8 min-w-40 flex-1 rounded-md border border-line-strong bg-raised px-2.5 outline-none placeholder:text-faint focus:border-accent"
        />
        {permission ? (
          DECISIONS.map((decision) => (
            <Button
              key={decision}
              look={decision === "once" ? "primary" : "plain"}
              disabled={busy}
              data-testid={`decision-${decision}`}
              onClick={() => void answer({ decision, ...comment })}
            >
              {t(`question.${decision}`)}
            </Button>
          ))
        ) : (
          <Button type="submit" look="primary" disabled={busy || !text.trim()}>
            {t("question.submit")}
          </Button>
        )}
      </form>
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </section>
  );
}
