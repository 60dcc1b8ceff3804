import type { TFunction } from "i18next";
import { isRecord } from "@/api/events";
import type { ToolView } from "../timeline/model";
import { formatDec, formatRa } from "./coordinates";
import { toSearch, toTarget, toTodos } from "./shapes";

/** The argument that says most about a call, by tool; else the first short one. */
const TELLING: Record<string, readonly string[]> = {
  read_file: ["path"],
  grep_files: ["pattern", "path"],
  glob_files: ["pattern", "path"],
  run_bash: ["command"],
  file_write: ["path"],
  file_edit: ["path"],
  search_papers: ["query", "author"],
  get_paper_metadata: ["paper"],
  download_paper: ["paper"],
  parse_paper: ["paper"],
  get_paper_content: ["paper", "section"],
  rag_search: ["question"],
  query_target: ["name"],
  save_note: ["paper", "quote"],
  save_memory: ["content"],
  ask_user: ["question"],
  search_history: ["query"],
  subagent: ["task"],
  load_skill: ["name"],
  load_tool: ["name"],
};

function words(value: unknown): string | null {
  if (typeof value === "string") return value.replace(/\s+/g, " ").trim() || null;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return null;
}

/** What the call is about, in one line. */
export function summary(tool: ToolView): string {
  const args = tool.arguments;
  if (!isRecord(args)) return words(args) ?? "";
  const keys = TELLING[tool.name];
  const values = (keys ?? Object.keys(args)).flatMap((key) => words(args[key]) ?? []);
  return (keys ? values : values.slice(0, 2)).join(" · ").slice(0, 300);
}

/** What came of the call, in a few words; empty where there is nothing to add. */
export function outcome(tool: ToolView, t: TFunction): string {
  if (tool.status === "running") return words(tool.progress?.message) ?? "";
  if (tool.status === "error") return words(tool.output)?.slice(0, 140) ?? "";
  switch (tool.name) {
    case "search_papers": {
      const search = toSearch(tool.metadata);
      if (!search) return "";
      const failed = search.sources.filter((source) => source.status === "failed");
      return [
        t("tool.found", { count: search.papers.length }),
        ...failed.map((source) => `${source.name}: ${t("tool.sourceFailed")}`),
      ].join(" · ");
    }
    case "query_target": {
      const target = toTarget(tool.metadata);
      if (!target) return "";
      if (target.ra === null || target.dec === null) return target.status.replace("_", " ");
      return `${formatRa(target.ra)}  ${formatDec(target.dec)}`;
    }
    case "todo_write": {
      const todos = toTodos(tool.metadata ?? tool.arguments);
      const done = todos.filter((todo) => todo.status === "completed").length;
      return todos.length > 0 ? `${done}/${todos.length}` : "";
    }
    case "search_history": {
      const items = isRecord(tool.metadata) ? tool.metadata["items"] : null;
      return Array.isArray(items) ? t("tool.hits", { count: items.length }) : "";
    }
    case "file_write":
    case "file_edit": {
      const meta = isRecord(tool.metadata) ? tool.metadata : {};
      const [added, removed] = [meta["lines_added"], meta["lines_removed"]];
      if (typeof added !== "number" || typeof removed !== "number") return "";
      return `+${added} −${removed}`;
    }
    default:
      return "";
  }
}
