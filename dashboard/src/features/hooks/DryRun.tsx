import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import type { HookEvent, TrialResult } from "@/api/types";
import { Button } from "@/components/Button";
import { formatDuration } from "@/components/format";
import { Code } from "@/components/markdown/Code";
import { FIELD, Section, useAttempt } from "@/features/settings/Page";
import { HOOK_EVENTS, isAboutCall, parseDocument } from "./document";

/** Runs the stored hooks for a made-up event. */
export function DryRun() {
  const { t } = useTranslation();
  const [event, setEvent] = useState<HookEvent>("PreToolUse");
  const [tool, setTool] = useState("file_write");
  const [text, setText] = useState('{"path": "notes/plan.md"}');
  const [invalid, setInvalid] = useState<string | null>(null);
  const [results, setResults] = useState<TrialResult[] | null>(null);
  const { busy, failure, attempt } = useAttempt();
  const about = isAboutCall(event);

  const run = () => {
    const args = parseDocument(text || "{}");
    setInvalid(about && !args.ok ? args.detail : null);
    if (about && !args.ok) return;
    setResults(null);
    void attempt(async () => {
      const answer = await body(
        api.POST("/api/hooks/dry-run", {
          body: {
            event,
            ...(about && args.ok
              ? // The generated type of an open object has no fields.
                { payload: { tool_name: tool.trim(), tool_input: args.value } as never }
              : {}),
          },
        }),
      );
      setResults(answer.items);
    });
  };

  return (
    <Section title={t("hooksPage.dryTitle")}>
      <form
        className="space-y-3 py-3"
        onSubmit={(submit) => {
          submit.preventDefault();
          run();
        }}
      >
        <p className="text-soft">{t("hooksPage.dryText")}</p>
        <div className="grid gap-3 sm:grid-cols-[12rem_11rem_minmax(0,1fr)]">
          <label className="text-xs text-soft">
            {t("hooksPage.event")}
            <select
              value={event}
              onChange={(change) => setEvent(change.target.value as HookEvent)}
              className={`mt-1 h-9 w-full text-[0.8125rem] text-ink ${FIELD}`}
            >
              {HOOK_EVENTS.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
          {about && (
            <>
              <label className="text-xs text-soft">
                {t("rules.tryTool")}
                <input
                  value={tool}
                  spellCheck={false}
                  onChange={(change) => setTool(change.target.value)}
                  className={`mt-1 h-9 w-full font-mono text-[0.8125rem] text-ink ${FIELD}`}
                />
              </label>
              <label className="text-xs text-soft">
                {t("rules.tryArguments")}
                <textarea
                  rows={1}
                  value={text}
                  spellCheck={false}
                  aria-invalid={invalid !== null}
                  onChange={(change) => setText(change.target.value)}
                  className={`mt-1 block field-sizing-content max-h-48 min-h-9 w-full resize-none py-1.5 font-mono text-[0.8125rem] text-ink ${FIELD}`}
                />
              </label>
            </>
          )}
        </div>
        <Button type="submit" disabled={busy} data-testid="dry-run">
          {busy && <span className="orbit" aria-hidden="true" />}
          {t("hooksPage.dryRun")}
        </Button>
        <div aria-live="polite">
          {(invalid || failure) && (
            <p className="text-bad">
              {invalid ? t("rules.badJson", { detail: invalid }) : failure}
            </p>
          )}
          {results && <Answer results={results} />}
        </div>
      </form>
    </Section>
  );
}

function Answer({ results }: { results: readonly TrialResult[] }) {
  const { t } = useTranslation();
  return (
    <div data-testid="dry-result" className="rounded-xl border border-line bg-panel">
      {results.length === 0 && <p className="px-4 py-3 text-soft">{t("hooksPage.noHooks")}</p>}
      <ul className="divide-y divide-line">
        {results.map((result, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer's list never changes.
          <Result key={index} result={result} />
        ))}
      </ul>
    </div>
  );
}

function Result({ result }: { result: TrialResult }) {
  const { t } = useTranslation();
  const streams = [
    [t("hooksPage.context"), result.context ?? ""],
    [
      t("tool.arguments"),
      result.arguments == null ? "" : JSON.stringify(result.arguments, null, 2),
    ],
    [t("hooksPage.stdout"), result.stdout],
    [t("hooksPage.stderr"), result.stderr],
  ] as const;
  return (
    <li className="space-y-2 px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <span className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{result.name}</span>
        {result.decision && <strong className="font-semibold">{result.decision}</strong>}
        <span className="ml-auto text-xs text-faint tabular-nums">
          {[
            typeof result.exit_code === "number"
              ? t("hooksPage.exit", { code: result.exit_code })
              : null,
            formatDuration(result.ms),
          ]
            .filter(Boolean)
            .join(" · ")}
        </span>
      </p>
      {result.detail && <p className="break-words text-soft">{result.detail}</p>}
      {streams.map(
        ([name, text]) =>
          text && (
            <div key={name}>
              <p className="mb-1 text-2xs font-medium text-faint">{name}</p>
              <Code
                code={text}
                language={/^\s*[[{]/.test(text) ? "json" : ""}
                maxHeight="max-h-48"
              />
            </div>
          ),
      )}
    </li>
  );
}
