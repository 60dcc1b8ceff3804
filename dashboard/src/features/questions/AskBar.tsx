import { useQuery } from "@tanstack/react-query";
import { ChevronRight, MessageCircleQuestion } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useMatch } from "react-router";
import { sessionQuery } from "../sessions/queries";
import { titleOf } from "../sessions/title";
import { questionsQuery } from "./queries";

/** On every other page: that a session waits for an answer, and the way there. */
export function AskBar({ inset }: { inset: boolean }) {
  const { t } = useTranslation();
  const current = useMatch("/s/:id")?.params.id;
  const questions = useQuery(questionsQuery).data?.filter((q) => q.session_id !== current) ?? [];
  const first = questions[0];
  return (
    <div role="status">
      {first && (
        <Link
          to={`/s/${first.session_id}`}
          data-testid="ask-bar"
          className={`flex items-center gap-2.5 border-b border-line bg-gold-soft py-2 pr-4 text-[0.8125rem] text-ink hover:text-accent ${inset ? "min-h-12 pl-12" : "pl-4"}`}
        >
          <MessageCircleQuestion size={15} className="flex-none text-gold" aria-hidden="true" />
          <strong className="flex-none font-semibold">
            {t("question.open", { count: questions.length })}
          </strong>
          <span className="min-w-0 flex-1 truncate text-soft">
            <SessionName id={first.session_id} /> · {first.message}
          </span>
          <ChevronRight size={15} className="flex-none" aria-hidden="true" />
        </Link>
      )}
    </div>
  );
}

function SessionName({ id }: { id: string }) {
  const { t } = useTranslation();
  const session = useQuery(sessionQuery(id)).data;
  return session ? titleOf(session, t) : "…";
}
