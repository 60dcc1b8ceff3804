import { useTranslation } from "react-i18next";
import { isRecord } from "@/api/events";
import { Code } from "@/components/markdown/Code";
import { lineDiff } from "./diff";
import { visible } from "./visible";

const HEIGHT = "max-h-64";

/** What a call would do, as a person reads it: a command, a change, a file, or its arguments. */
export function CallPreview({ tool, args }: { tool: string; args: unknown }) {
  const { t } = useTranslation();
  if (!isRecord(args)) {
    return (
      <Code code={JSON.stringify(args ?? {}, null, 2)} language="json" maxHeight={HEIGHT} wrap />
    );
  }
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : null);
  const command = text("command");
  if (tool === "run_bash" && command !== null) {
    return (
      <Preview rest={without(args, ["command"])}>
        <Code code={visible(command)} language="bash" maxHeight={HEIGHT} wrap />
      </Preview>
    );
  }
  const path = text("path");
  const before = text("old_string");
  const after = text("new_string");
  if (tool === "file_edit" && path !== null && before !== null && after !== null) {
    return (
      <Preview path={path} rest={without(args, ["path", "old_string", "new_string"])}>
        <Code code={visible(lineDiff(before, after))} language="diff" maxHeight={HEIGHT} wrap />
      </Preview>
    );
  }
  const content = text("content");
  if (tool === "file_write" && path !== null && content !== null) {
    const lines = content.split("\n").length;
    return (
      <Preview
        path={path}
        note={t("ask.lines", { count: lines })}
        rest={without(args, ["path", "content"])}
      >
        <Code code={visible(content)} language={languageOf(path)} maxHeight={HEIGHT} wrap />
      </Preview>
    );
  }
  return <Arguments args={args} />;
}

function Preview({
  path,
  note,
  rest,
  children,
}: {
  path?: string;
  note?: string;
  rest: Record<string, unknown>;
  children: React.ReactNode;
}) {
  return (
    <div className="space-y-1.5">
      {path !== undefined && (
        <p className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 font-mono text-xs break-all">{visible(path)}</span>
          {note && <span className="flex-none text-xs text-soft tabular-nums">{note}</span>}
        </p>
      )}
      {children}
      <Arguments args={rest} />
    </div>
  );
}

/** Arguments by name; what is not a short word stands as JSON. */
function Arguments({ args }: { args: Record<string, unknown> }) {
  const entries = Object.entries(args).filter(([, value]) => value !== null);
  if (entries.length === 0) return null;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-4 gap-y-1 rounded-lg border border-line bg-sunken px-3.5 py-2 text-xs">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="font-mono text-soft">{name}</dt>
          <dd className="max-h-40 overflow-auto font-mono break-words whitespace-pre-wrap">
            {visible(typeof value === "string" ? value : JSON.stringify(value, null, 1))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function without(args: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)));
}

const LANGUAGES: Record<string, string> = {
  py: "python",
  sh: "bash",
  json: "json",
  tex: "latex",
  bib: "latex",
  sql: "sql",
  f90: "fortran",
  f: "fortran",
};

function languageOf(path: string): string {
  return LANGUAGES[path.split(".").at(-1)?.toLowerCase() ?? ""] ?? "";
}
