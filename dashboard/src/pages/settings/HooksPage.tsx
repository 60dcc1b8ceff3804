import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, done } from "@/api/client";
import { Button } from "@/components/Button";
import { DryRun } from "@/features/hooks/DryRun";
import { parseDocument } from "@/features/hooks/document";
import { FIELD, Loaded, Page, Section, useAttempt } from "@/features/settings/Page";

const hooksQuery = queryOptions({
  queryKey: ["hooks"],
  queryFn: () => body(api.GET("/api/hooks")),
});

export default function HooksPage() {
  const { t } = useTranslation();
  const hooks = useQuery(hooksQuery);
  return (
    <Page title={t("hooksPage.title")} text={t("hooksPage.text")} wide="max-w-[50rem]">
      <Loaded query={hooks}>
        {({ document, ignored_events: ignored }) => {
          const stored = JSON.stringify(document ?? { hooks: {} }, null, 2);
          return (
            <>
              <Editor key={stored} stored={stored} />
              {ignored.length > 0 && (
                <p className="rounded-xl bg-gold-soft px-4 py-2.5">
                  {t("hooksPage.ignored")}{" "}
                  <span className="font-mono text-[0.8125rem]">{ignored.join(", ")}</span>
                </p>
              )}
              <DryRun />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** The document as text: whoever writes hooks knows the format, and keeps it in a file anyhow. */
function Editor({ stored }: { stored: string }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const problemsId = useId();
  const [text, setText] = useState(stored);
  const { busy, failure, error, attempt } = useAttempt();
  const parsed = parseDocument(text);
  const changed = text !== stored;
  const save = () =>
    attempt(async () => {
      if (!parsed.ok) return;
      await done(api.PUT("/api/hooks", { body: parsed.value as Record<string, never> }));
      await client.invalidateQueries(hooksQuery);
    });
  const problems = parsed.ok
    ? (error?.problem?.errors ?? [])
    : [{ pointer: "", detail: t("rules.badJson", { detail: parsed.detail }) }];
  return (
    <Section title={t("hooksPage.document")}>
      <form
        className="py-3"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <textarea
          aria-label={t("hooksPage.document")}
          aria-invalid={problems.length > 0}
          aria-describedby={problemsId}
          value={text}
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          data-testid="hooks-document"
          className={`block field-sizing-content max-h-[60vh] min-h-56 w-full resize-y overflow-auto py-2.5 font-mono text-[0.78rem] leading-[1.6] ${FIELD}`}
        />
        <div id={problemsId} aria-live="polite">
          {(problems.length > 0 || failure) && (
            <div className="mt-2 rounded-xl bg-bad-soft px-4 py-2.5" data-testid="hooks-problems">
              <p className="font-medium">
                {problems.length > 0 ? t("hooksPage.problems") : failure}
              </p>
              <ul className="mt-0.5 space-y-0.5">
                {problems.map((problem) => (
                  <li
                    key={`${problem.pointer} ${problem.detail}`}
                    className="break-words text-soft"
                  >
                    {problem.pointer && (
                      <code className="mr-2 font-mono text-xs text-ink">{problem.pointer}</code>
                    )}
                    {problem.detail}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
        <div className="mt-3 flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look="primary"
            disabled={busy || !changed || !parsed.ok}
            data-testid="hooks-save"
          >
            {t("hooksPage.save")}
          </Button>
          {changed && (
            <>
              <Button look="quiet" onClick={() => setText(stored)}>
                {t("hooksPage.discard")}
              </Button>
              <span className="text-xs text-faint">{t("hooksPage.unsaved")}</span>
            </>
          )}
        </div>
      </form>
    </Section>
  );
}
