import { useTranslation } from "react-i18next";
import type { Session } from "@/api/types";
import { titleOf } from "@/features/sessions/title";
import type { Timeline } from "@/features/timeline/model";
import { PlanButton } from "./PlanButton";

/** The session's name and its plan. */
export function ChatHeader({
  session,
  timeline,
}: {
  session: Session | undefined;
  timeline: Timeline;
}) {
  const { t } = useTranslation();
  return (
    <header className="flex h-12 flex-none items-center gap-3 border-b border-line px-5 in-data-[sidebar=closed]:pl-13">
      <h1 className="min-w-0 flex-1 truncate text-[0.875rem] font-medium">
        {session ? titleOf(session, t) : "\u00a0"}
      </h1>
      <PlanButton todos={timeline.todos} />
    </header>
  );
}
