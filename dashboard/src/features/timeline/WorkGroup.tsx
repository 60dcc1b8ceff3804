import { ChevronRight, Lightbulb } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { formatDuration } from "@/components/format";
import { Markdown } from "@/components/markdown/Markdown";
import { QuestionCard } from "@/features/questions/QuestionCard";
import { useQuestionsOf } from "@/features/questions/QuestionsContext";
import { ToolCard } from "@/features/tools/ToolCard";
import { type Entry, toolDuration } from "./blocks";
import type { ToolView } from "./model";
import { useOpen } from "./open";
import { useTimeline } from "./TimelineContext";

/** More entries than this are folded once the work is done. */
const FOLD_OVER = 8;

/** What was thought and done between two answers: one foldable block, one line an entry. */
export function WorkGroup({ entries, current }: { entries: readonly Entry[]; current: boolean }) {
  const { t } = useTranslation();
  const { tools } = useTimeline();
  const calls = entries.flatMap((entry) => {
    const tool = entry.kind === "tool" ? tools[entry.toolId] : undefined;
    return tool ? [tool] : [];
  });
  const questions = useQuestionsOf(calls.map((tool) => tool.id));
  const running = current || calls.some((tool) => tool.status === "running");
  const [wasRunning] = useState(running);
  const keys = entries.flatMap((entry) =>
    (entry.kind === "thinking" ? entry.names : [entry.key]).map((name) => `g:${name}`),
  );
  // What was open while it ran does not snap shut under the reader.
  const [open, toggle] = useOpen(keys, running || wasRunning || entries.length <= FOLD_OVER);
  const failed = calls.filter((tool) => tool.status === "error").length;
  const thoughts = entries.length - calls.length;
  const time = wallTime(calls);
  const parts = [
    calls.length > 0 ? t("tool.calls", { count: calls.length }) : null,
    thoughts > 0 ? t("tool.thoughts", { count: thoughts }) : null,
    time === null || running ? null : formatDuration(time),
  ].filter((part) => part !== null);

  return (
    <section data-testid="work-group" aria-label={t("tool.work")} className="mt-4">
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        data-testid="work-group-toggle"
        className="flex items-center gap-1.5 rounded-md py-0.5 pr-2 text-xs text-faint hover:text-ink"
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={`transition-transform ${open ? "rotate-90" : ""}`}
        />
        {running && questions.length === 0 && <span className="orbit mr-0.5" aria-hidden="true" />}
        <span className="tabular-nums">{parts.join(" · ")}</span>
        {failed > 0 && <span className="text-bad">· {t("tool.failed", { count: failed })}</span>}
      </button>
      {open && (
        <ol className="mt-1 ml-[0.4rem] space-y-px border-l border-line pl-3">
          {entries.map((entry) =>
            entry.kind === "thinking" ? (
              <Thinking key={entry.key} entry={entry} />
            ) : (
              <ToolCard key={entry.key} id={entry.toolId} />
            ),
          )}
        </ol>
      )}
      {/* A folded group hides no question: the run waits for it. */}
      {questions.map((question) => (
        <QuestionCard key={question.id} question={question} />
      ))}
    </section>
  );
}

/** From the first call's start to the last one's end; the sum would count parallel calls twice. */
function wallTime(calls: readonly ToolView[]): number | null {
  const starts = calls.flatMap((tool) => (tool.startedAt === null ? [] : [tool.startedAt]));
  const ends = calls.flatMap((tool) => (tool.endedAt === null ? [] : [tool.endedAt]));
  if (starts.length > 0 && ends.length > 0) {
    return Math.max(0, Math.max(...ends) - Math.min(...starts));
  }
  const times = calls.map(toolDuration).filter((ms) => ms !== null);
  return times.length > 0 ? Math.max(...times) : null;
}

function Thinking({ entry }: { entry: Extract<Entry, { kind: "thinking" }> }) {
  const { t } = useTranslation();
  const [open, toggle] = useOpen(entry.names, false);
  const seconds = useSeconds(entry.live);
  const label = entry.live
    ? `${t("tool.thinking")}${seconds > 0 ? ` · ${seconds} s` : "…"}`
    : entry.ms !== null && entry.ms >= 1000
      ? t("tool.thoughtFor", { time: formatDuration(entry.ms) })
      : t("tool.thought");
  return (
    <li data-testid="thinking" data-live={entry.live}>
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className="flex h-7 w-full items-center gap-2 rounded-md px-1.5 text-left text-[0.8125rem] text-soft hover:bg-sunken"
      >
        <Lightbulb
          size={14}
          aria-hidden="true"
          className={`flex-none ${entry.live ? "text-gold" : "text-faint"}`}
        />
        <span className="flex-none tabular-nums">{label}</span>
        {!open && (
          <span className="min-w-0 flex-1 truncate font-serif text-faint italic">
            {gist(entry.text, entry.live)}
          </span>
        )}
      </button>
      {open && (
        <div className="mb-2 ml-[1.85rem] border-l-2 border-line pl-3">
          <Markdown text={entry.text} className="prose-small text-soft!" />
        </div>
      )}
    </li>
  );
}

/** A line of a thought: how it begins, or, while it goes on, what was said last. */
function gist(text: string, live: boolean): string {
  const lines = text.trim().split("\n");
  const line = ((live ? lines.at(-1) : lines[0]) ?? "").replace(/[*_`#>]/g, "");
  if (!live || line.length <= 120) return line.slice(0, 240);
  const tail = line.slice(-110);
  return `…${tail.slice(tail.indexOf(" ") + 1)}`;
}

/** Whole seconds since it went live. */
function useSeconds(live: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!live) return;
    setSeconds(0);
    const timer = setInterval(() => setSeconds((value) => value + 1), 1000);
    return () => clearInterval(timer);
  }, [live]);
  return seconds;
}
