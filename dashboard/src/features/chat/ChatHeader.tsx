import { useTranslation } from "react-i18next";
import type { Session } from "@/api/types";
import { titleOf } from "@/features/sessions/title";
import { ContextGauge } from "@/features/timeline/ContextGauge";
import type { Timeline } from "@/features/timeline/model";
import { PlanButton } from "./PlanButton";

/** The session's name, its plan, the model and how full its context is. */
export function ChatHeader({
  session,
  timeline,
}: {
  session: Session | undefined;
  timeline: Timeline;
}) {
  const { t } = useTranslation();
  const runs = Object.values(timeline.runs);
  const model = runs.at(-1)?.model ?? session?.model ?? null;
  return (
    <header className="flex h-12 flex-none items-center gap-3 border-b border-line px-5 in-data-[sidebar=closed]:pl-13">
      <h1 className="min-w-0 flex-1 truncate text-[0.875rem] font-medium">
        {session ? titleOf(session, t) : "\u00a0"}
      </h1>
      <PlanButton todos={timeline.todos} />
      {model && (
        <span className="max-w-48 truncate text-xs text-faint max-sm:hidden" title={t("run.model")}>
          {model}
        </span>
      )}
      {timeline.context && <ContextGauge context={timeline.context} />}
    </header>
  );
}
