import { useQueryClient } from "@tanstack/react-query";
import { CircleHelp, Hourglass, ShieldQuestion } from "lucide-react";
import { useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import type { Decision, Question, QuestionAnswer } from "@/api/types";
import { Button } from "@/components/Button";
import { toolName } from "@/features/tools/names";
import { CallPreview } from "./CallPreview";
import { answerQuestion } from "./queries";
import { useSight } from "./reach";
import { formatLeft, spokenMark, useSecondsLeft } from "./time";

/** An open question of the agent; the run waits for its answer. */
export function QuestionCard({ question }: { question: Question }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const titleId = useId();
  const ref = useRef<HTMLElement>(null);
  useSight(question.id, ref);
  const [text, setText] = useState("");
  const [state, setState] = useState<"open" | "sending" | "late">("open");
  const [failure, setFailure] = useState<string | null>(null);
  const permission = question.kind === "permission";

  const answer = async (value: QuestionAnswer) => {
    setState("sending");
    setFailure(null);
    try {
      if (!(await answerQuestion(client, question, value))) setState("late");
    } catch (error) {
      setState("open");
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("question.failed", { detail }));
    }
  };
  const busy = state !== "open";
  const words = text.trim();
  const Icon = permission ? ShieldQuestion : CircleHelp;

  return (
    <section
      ref={ref}
      id={`q-${question.id}`}
      aria-labelledby={titleId}
      data-testid="question-card"
      data-kind={question.kind}
      className="mt-3 scroll-my-6 overflow-hidden rounded-xl border border-gold/45 bg-raised text-[0.8125rem] shadow-card"
    >
      <header className="flex items-center gap-2 border-b border-gold/25 bg-gold-soft px-4 py-2">
        <Icon size={16} className="flex-none text-gold" aria-hidden="true" />
        <h2 id={titleId} className="min-w-0 flex-1 truncate font-semibold">
          {permission
            ? t("ask.permissionFor", { tool: toolName(question.tool ?? "", t) })
            : t("question.askTitle")}
        </h2>
        <TimeLeft expiresAt={question.expires_at} />
      </header>
      <div className="space-y-3 px-4 py-3">
        <p className="text-[0.9375rem] leading-[1.55] break-words whitespace-pre-wrap">
          {question.message}
        </p>
        {permission ? (
          <Permission
            question={question}
            busy={busy}
            comment={text}
            onComment={setText}
            onDecide={(decision) => void answer({ decision, ...(words ? { comment: words } : {}) })}
          />
        ) : (
          <Choice
            question={question}
            busy={busy}
            text={text}
            onText={setText}
            onAnswer={(value) => void answer({ answer: value })}
          />
        )}
        {(failure || state === "late") && (
          <p role="alert" className={failure ? "text-bad" : "text-soft"}>
            {failure ?? t("ask.elsewhere")}
          </p>
        )}
      </div>
    </section>
  );
}

const FIELD =
  "w-full rounded-md border border-line-strong bg-page px-2.5 py-1.5 outline-none placeholder:text-faint focus:border-accent";

function Permission({
  question,
  busy,
  comment,
  onComment,
  onDecide,
}: {
  question: Question;
  busy: boolean;
  comment: string;
  onComment: (text: string) => void;
  onDecide: (decision: Decision) => void;
}) {
  const { t } = useTranslation();
  const ruleId = useId();
  const { suggestion } = question;
  return (
    <>
      <CallPreview tool={question.tool ?? ""} args={question.arguments} />
      <input
        aria-label={t("question.comment")}
        placeholder={t("question.comment")}
        value={comment}
        onChange={(event) => onComment(event.target.value)}
        data-testid="question-comment"
        className={FIELD}
      />
      <div className="grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
        <Button
          look="primary"
          disabled={busy}
          data-testid="decision-once"
          onClick={() => onDecide("once")}
        >
          {t("question.once")}
        </Button>
        <Button disabled={busy} data-testid="decision-session" onClick={() => onDecide("session")}>
          {t("question.session")}
        </Button>
        {suggestion && (
          <Button
            disabled={busy}
            data-testid="decision-always"
            aria-describedby={ruleId}
            onClick={() => onDecide("always")}
          >
            {t("question.always")}
          </Button>
        )}
        <Button
          disabled={busy}
          data-testid="decision-deny"
          className="text-bad! hover:border-bad! sm:ml-auto"
          onClick={() => onDecide("deny")}
        >
          {t("question.deny")}
        </Button>
      </div>
      {suggestion && (
        <p id={ruleId} className="text-xs text-soft">
          {t("ask.alwaysStores")}{" "}
          <code className="rounded bg-sunken px-1 py-px font-mono text-ink [overflow-wrap:anywhere]">
            {suggestion}
          </code>
        </p>
      )}
    </>
  );
}

function Choice({
  question,
  busy,
  text,
  onText,
  onAnswer,
}: {
  question: Question;
  busy: boolean;
  text: string;
  onText: (text: string) => void;
  onAnswer: (answer: string) => void;
}) {
  const { t } = useTranslation();
  const options = question.options ?? [];
  const words = text.trim();
  return (
    <>
      {options.length > 0 && (
        <ul className="grid gap-1.5" aria-label={t("ask.options")}>
          {options.map((option) => (
            <li key={option}>
              <button
                type="button"
                disabled={busy}
                data-testid="question-option"
                onClick={() => onAnswer(option)}
                className="w-full rounded-lg border border-line-strong bg-page px-3 py-2 text-left break-words transition-colors hover:border-accent hover:text-accent disabled:opacity-50"
              >
                {option}
              </button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (words && !busy) onAnswer(words);
        }}
      >
        <textarea
          rows={1}
          aria-label={t("question.answer")}
          placeholder={t(options.length > 0 ? "ask.ownAnswer" : "question.answer")}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing || event.key !== "Enter" || event.shiftKey) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
          data-testid="question-answer"
          className={`${FIELD} field-sizing-content max-h-40 min-h-8 resize-none`}
        />
        <Button
          type="submit"
          look="primary"
          disabled={busy || !words}
          data-testid="question-submit"
        >
          {t("question.submit")}
        </Button>
      </form>
    </>
  );
}

/** The time that is left; said aloud only when it becomes short. */
function TimeLeft({ expiresAt }: { expiresAt: string }) {
  const { t } = useTranslation();
  const left = useSecondsLeft(expiresAt);
  const mark = spokenMark(left);
  return (
    <>
      <span
        title={t("ask.timeLeft")}
        data-testid="question-time"
        className={`inline-flex flex-none items-center gap-1 text-xs tabular-nums ${mark === null ? "text-soft" : "font-medium text-bad"}`}
      >
        <Hourglass size={12} aria-hidden="true" />
        <span className="sr-only">{t("ask.timeLeft")}</span>
        {formatLeft(left)}
      </span>
      <span aria-live="polite" className="sr-only">
        {mark === null ? "" : t("ask.secondsLeft", { count: mark })}
      </span>
    </>
  );
}
