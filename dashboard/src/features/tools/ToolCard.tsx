import {
  BookOpen,
  Brain,
  Check,
  ChevronRight,
  CircleHelp,
  Download,
  FileDiff,
  FilePen,
  FileSearch,
  FileText,
  FolderSearch,
  History,
  Hourglass,
  Library,
  ListTodo,
  type LucideIcon,
  Minus,
  Orbit,
  Search,
  SquareTerminal,
  Users,
  Wrench,
  X,
} from "lucide-react";
import { memo, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatCount, formatDuration } from "@/components/format";
import { useQuestionsOf } from "../questions/QuestionsContext";
import { isQuiet, toolDuration } from "../timeline/blocks";
import { HookLine } from "../timeline/HookLines";
import type { Consent, ToolView } from "../timeline/model";
import { useOpen } from "../timeline/open";
import { useTimeline } from "../timeline/TimelineContext";
import { toolName } from "./names";
import { outcome, summary } from "./summary";
import { ToolDetails } from "./ToolDetails";

const ICONS: Record<string, LucideIcon> = {
  read_file: FileText,
  grep_files: FileSearch,
  glob_files: FolderSearch,
  run_bash: SquareTerminal,
  file_write: FilePen,
  file_edit: FileDiff,
  search_papers: Search,
  get_paper_metadata: BookOpen,
  download_paper: Download,
  get_paper_content: BookOpen,
  rag_search: Library,
  query_target: Orbit,
  todo_write: ListTodo,
  save_memory: Brain,
  ask_user: CircleHelp,
  search_history: History,
  subagent: Users,
};

/** Tools whose telling argument is code, a path or an identifier. */
const LITERAL = new Set([
  "read_file",
  "grep_files",
  "glob_files",
  "run_bash",
  "file_write",
  "file_edit",
  "get_paper_metadata",
  "download_paper",
  "parse_paper",
  "get_paper_content",
]);

/** One call: a line that says what was asked and what came of it, and all of it on demand. */
export function ToolCard({ id }: { id: string }) {
  const tool = useTimeline().tools[id];
  return tool ? <Card tool={tool} /> : null;
}

const Card = memo(function Card({ tool }: { tool: ToolView }) {
  const { t } = useTranslation();
  const [open, toggle] = useOpen([tool.id], false);
  const Icon = ICONS[tool.name] ?? Wrench;
  const name = toolName(tool.name, t);
  const waits = useQuestionsOf([tool.id]).length > 0;
  const hooks = open ? tool.hooks : tool.hooks.filter((hook) => !isQuiet(hook));
  const about = summary(tool);
  const result = outcome(tool, t);
  return (
    <li
      id={tool.messageId ? `m-${tool.messageId}` : undefined}
      data-testid="tool-card"
      data-tool-name={tool.name}
      data-tool-call-id={tool.id}
      data-status={tool.status}
      className={open ? "pb-2" : ""}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        title={tool.name}
        className="group/card flex min-h-7 w-full items-center gap-2 rounded-md px-1.5 py-0.5 text-left text-[0.8125rem] hover:bg-sunken"
      >
        <Icon size={14} aria-hidden="true" className="flex-none text-faint" />
        <span className="flex-none font-medium">{name}</span>
        <span
          className={`min-w-0 flex-1 truncate text-soft ${LITERAL.has(tool.name) ? "font-mono text-xs" : ""}`}
          title={about}
        >
          {about}
        </span>
        {tool.consent && <ConsentTag consent={tool.consent} />}
        {result && (
          <span
            className={`max-w-[45%] flex-none truncate text-xs ${tool.status === "error" ? "text-bad" : "text-faint"}`}
          >
            {result}
          </span>
        )}
        <Time tool={tool} />
        <Status status={tool.status} waits={waits} />
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={`flex-none text-faint transition-transform ${open ? "rotate-90" : ""}`}
        />
      </button>
      {hooks.length > 0 && (
        <ul className="mb-1 ml-[1.4rem] space-y-0.5" aria-label={t("hook.title")}>
          {hooks.map((hook) => (
            <HookLine key={hook.key} hook={hook} />
          ))}
        </ul>
      )}
      {open && <ToolDetails tool={tool} />}
    </li>
  );
});

function Status({ status, waits }: { status: ToolView["status"]; waits: boolean }) {
  const { t } = useTranslation();
  if (waits && status === "running") {
    return (
      <span className="flex size-4 flex-none items-center justify-center">
        <Hourglass size={13} className="text-gold" aria-hidden="true" />
        <span className="sr-only">{t("ask.callWaits")}</span>
      </span>
    );
  }
  return (
    <span className="flex size-4 flex-none items-center justify-center">
      {status === "running" && <span className="orbit" aria-hidden="true" />}
      {status === "ok" && <Check size={14} className="text-good" aria-hidden="true" />}
      {status === "error" && <X size={14} className="text-bad" aria-hidden="true" />}
      {status === "stopped" && <Minus size={14} className="text-faint" aria-hidden="true" />}
      <span className="sr-only">{t(`tool.status.${status}`)}</span>
    </span>
  );
}

/** What the user said to the call. */
function ConsentTag({ consent }: { consent: Consent }) {
  const { t } = useTranslation();
  const refused = consent.decision === "deny" || consent.decision === "expired";
  return (
    <span
      data-testid="consent"
      data-decision={consent.decision}
      title={consent.comment ?? undefined}
      className={`flex-none rounded-full border px-2 text-2xs max-sm:hidden ${refused ? "border-bad/40 text-bad" : "border-line-strong text-soft"}`}
    >
      {t(`ask.consent.${consent.decision}`)}
    </span>
  );
}

function Time({ tool }: { tool: ToolView }) {
  const running = tool.status === "running";
  const [, tick] = useState(0);
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => tick((value) => value + 1), 1000);
    return () => clearInterval(timer);
  }, [running]);
  const { progress } = tool;
  const ms = running
    ? tool.startedAt === null
      ? null
      : Date.now() - tool.startedAt
    : toolDuration(tool);
  const parts = [
    running && progress?.total
      ? `${formatCount(progress.done ?? 0)}/${formatCount(progress.total)} ${progress.unit ?? ""}`.trim()
      : null,
    ms === null || (running && ms < 1000)
      ? null
      : formatDuration(running ? Math.floor(ms / 1000) * 1000 : ms),
  ].filter(Boolean);
  if (parts.length === 0) return null;
  return (
    <span className="flex-none text-xs text-faint tabular-nums max-sm:hidden">
      {parts.join(" · ")}
    </span>
  );
}
