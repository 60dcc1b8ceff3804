import { useTranslation } from "react-i18next";
import { isRecord } from "@/api/events";
import { Code } from "@/components/markdown/Code";
import { Markdown } from "@/components/markdown/Markdown";
import { CallPreview } from "../questions/CallPreview";
import { Blocks } from "../timeline/Blocks";
import { toBlocks } from "../timeline/blocks";
import type { ToolView } from "../timeline/model";
import { useOpen } from "../timeline/open";
import { useTimeline } from "../timeline/TimelineContext";
import { PaperCard } from "./PaperCard";
import { SearchResults } from "./SearchResults";
import { toPaper, toSearch, toTarget, toTodos } from "./shapes";
import { TargetCard } from "./TargetCard";
import { TodoList } from "./TodoList";

/** The inside of a card: the result as it is best seen, then what went in and came out. */
export function ToolDetails({ tool }: { tool: ToolView }) {
  const { t } = useTranslation();
  const special = <Special tool={tool} />;
  const hasSpecial = isSpecial(tool);
  const [raw, toggleRaw] = useOpen([`raw:${tool.id}`], false);
  return (
    <div className="mt-1 mb-1 ml-[1.85rem] space-y-3 text-[0.8125rem]">
      {hasSpecial && special}
      <Nested tool={tool} />
      {hasSpecial ? (
        <div>
          <button
            type="button"
            aria-expanded={raw}
            onClick={toggleRaw}
            className="rounded-md text-xs text-faint underline decoration-line-strong underline-offset-4 hover:text-ink"
          >
            {t("tool.raw")}
          </button>
          {raw && <Raw tool={tool} />}
        </div>
      ) : (
        <Raw tool={tool} />
      )}
    </div>
  );
}

function isSpecial(tool: ToolView): boolean {
  if (tool.status === "error" || tool.status === "running") {
    return tool.name === "todo_write" || tool.name === "file_write";
  }
  switch (tool.name) {
    case "search_papers":
      return toSearch(tool.metadata) !== null;
    case "get_paper_metadata":
      return paperOf(tool.metadata) !== null;
    case "query_target":
      return toTarget(tool.metadata) !== null;
    case "todo_write":
      return toTodos(tool.metadata ?? tool.arguments).length > 0;
    case "file_edit":
      return diffOf(tool.metadata) !== null;
    case "file_write":
      return isRecord(tool.arguments) && typeof tool.arguments["content"] === "string";
    default:
      return false;
  }
}

function diffOf(metadata: unknown): string | null {
  const diff = isRecord(metadata) ? metadata["diff"] : null;
  return typeof diff === "string" && diff !== "" ? diff : null;
}

function paperOf(metadata: unknown) {
  return toPaper(isRecord(metadata) && "paper" in metadata ? metadata["paper"] : metadata);
}

function Special({ tool }: { tool: ToolView }) {
  switch (tool.name) {
    case "search_papers": {
      const search = toSearch(tool.metadata);
      return search && <SearchResults search={search} />;
    }
    case "get_paper_metadata": {
      const paper = paperOf(tool.metadata);
      return paper && <PaperCard paper={paper} />;
    }
    case "query_target": {
      const target = toTarget(tool.metadata);
      return target && <TargetCard target={target} />;
    }
    case "todo_write":
      return <TodoList todos={toTodos(tool.metadata ?? tool.arguments)} />;
    case "file_edit":
      return <Code code={diffOf(tool.metadata) ?? ""} language="diff" maxHeight="max-h-80" />;
    case "file_write":
      return <Written args={tool.arguments} />;
    default:
      return null;
  }
}

/** A written note as it will be read; anything else as text. */
function Written({ args }: { args: unknown }) {
  if (!isRecord(args)) return null;
  const content = String(args["content"] ?? "");
  const path = String(args["path"] ?? "");
  return (
    <div className="rounded-lg border border-line bg-raised">
      <p className="border-b border-line px-3 py-1.5 font-mono text-xs text-soft">{path}</p>
      <div
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long note must scroll by keyboard too.
        tabIndex={0}
        className="max-h-80 overflow-auto px-3 py-2"
      >
        {/\.(md|markdown)$/i.test(path) ? (
          <Markdown text={content} className="prose-small" />
        ) : (
          <pre className="font-mono text-xs whitespace-pre-wrap">{content}</pre>
        )}
      </div>
    </div>
  );
}

/** The timeline of a sub-agent, inside the card of the call that started it. */
function Nested({ tool }: { tool: ToolView }) {
  const timeline = useTimeline();
  const lane = timeline.lanes[tool.id];
  const child = timeline.subagents[tool.id];
  if (!lane && !child) return null;
  return (
    <div className="border-l-2 border-line pl-3">
      {lane && <Blocks blocks={toBlocks(lane)} working={tool.status === "running"} />}
      {child?.summary && <Markdown text={child.summary} className="prose-small mt-3" />}
    </div>
  );
}

function Raw({ tool }: { tool: ToolView }) {
  const { t } = useTranslation();
  const { progress } = tool;
  return (
    <dl className="mt-2 space-y-2.5">
      <div>
        <dt className="mb-1 text-2xs font-medium text-faint">{t("tool.arguments")}</dt>
        <dd>
          {tool.name === "run_bash" ? (
            <CallPreview tool={tool.name} args={tool.arguments} />
          ) : (
            <Code
              code={JSON.stringify(tool.arguments ?? {}, null, 2)}
              language="json"
              maxHeight="max-h-64"
            />
          )}
        </dd>
      </div>
      <div>
        <dt className="mb-1 text-2xs font-medium text-faint">{t("tool.output")}</dt>
        <dd>
          {tool.output ? (
            <Code code={tool.output} language={looksLikeJson(tool.output)} maxHeight="max-h-96" />
          ) : (
            <p className="text-faint">{progress?.message || t("tool.noOutput")}</p>
          )}
        </dd>
      </div>
    </dl>
  );
}

function looksLikeJson(text: string): string {
  return /^\s*[[{]/.test(text) ? "json" : "";
}
