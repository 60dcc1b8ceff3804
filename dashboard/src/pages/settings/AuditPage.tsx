import { infiniteQueryOptions, type UseQueryResult, useInfiniteQuery } from "@tanstack/react-query";
import { ChevronRight } from "lucide-react";
import { Fragment, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import type { AuditPage as ApiPage, AuditRow } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { Button } from "@/components/Button";
import { formatDateTime, formatStamp } from "@/components/format";
import { Code } from "@/components/markdown/Code";
import { filterRows } from "@/features/audit/entry";
import { FIELD, Loaded, Notice, Page } from "@/features/settings/Page";

const LIMIT = 100;

const auditQuery = infiniteQueryOptions({
  queryKey: ["audit"],
  queryFn: ({ pageParam }): Promise<ApiPage> =>
    body(
      api.GET("/api/audit", {
        params: { query: { limit: LIMIT, ...(pageParam ? { cursor: pageParam } : {}) } },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page) => page.next_cursor ?? null,
});

export default function AuditPage() {
  const { t } = useTranslation();
  const audit = useInfiniteQuery(auditQuery);
  const entries = useMemo(() => audit.data?.pages.flatMap((page) => page.items), [audit.data]);
  // The table wants the rows, not the pages they came in.
  const query = { ...audit, data: entries } as unknown as UseQueryResult<AuditRow[]>;
  return (
    <Page title={t("audit.title")} text={t("audit.text")} wide="max-w-[60rem]">
      <Loaded query={query}>
        {(list) => (
          <>
            <Entries entries={list} />
            {audit.hasNextPage && (
              <Button
                className="mt-4"
                disabled={audit.isFetchingNextPage}
                data-testid="audit-more"
                onClick={() => void audit.fetchNextPage()}
              >
                {t("pages.more")}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Entries({ entries }: { entries: readonly AuditRow[] }) {
  const { t } = useTranslation();
  const [words, setWords] = useState("");
  const [kind, setKind] = useState("");
  const kinds = useMemo(
    () => [...new Set(entries.map((entry) => entry.event))].filter(Boolean).sort(),
    [entries],
  );
  const shown = filterRows(entries, words, kind);
  if (entries.length === 0) return <Notice>{t("pages.none")}</Notice>;
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-3">
        <input
          type="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          aria-label={t("audit.filter")}
          placeholder={t("audit.filterPlaceholder")}
          data-testid="audit-filter"
          className={`h-9 min-w-48 flex-1 ${FIELD}`}
        />
        <select
          aria-label={t("audit.kind")}
          value={kind}
          onChange={(event) => setKind(event.target.value)}
          className={`h-9 max-w-48 ${FIELD}`}
        >
          <option value="">{t("audit.all")}</option>
          {kinds.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <p className="text-xs text-faint tabular-nums" aria-live="polite">
          {t("audit.shown", { count: shown.length })}
        </p>
      </div>
      {shown.length === 0 ? (
        <Notice>{t("audit.empty")}</Notice>
      ) : (
        <section
          aria-label={t("audit.title")}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must scroll by keyboard too.
          tabIndex={0}
          className="mt-4 overflow-x-auto"
        >
          <table className="w-full border-collapse text-left text-[0.8125rem]">
            <thead>
              <tr className="border-b border-line-strong text-xs text-faint">
                <th className="py-1.5 pr-4 font-medium">{t("audit.time")}</th>
                <th className="py-1.5 pr-4 font-medium">{t("audit.kind")}</th>
                <th className="w-full py-1.5 pr-4 font-medium">{t("audit.what")}</th>
                <th className="py-1.5 pr-4 font-medium">{t("audit.decision")}</th>
                <th className="py-1.5">
                  <span className="sr-only">{t("audit.detail")}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}

const REFUSED = /den|block|fail|error|reject/i;

function Entry({ entry }: { entry: AuditRow }) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [open, setOpen] = useState(false);
  return (
    <Fragment>
      <tr data-testid="audit-row" className="border-b border-line align-baseline">
        <td className="py-1.5 pr-4 whitespace-nowrap text-soft tabular-nums">
          <time dateTime={entry.created_at} title={formatDateTime(entry.created_at, language)}>
            {formatStamp(entry.created_at, language)}
          </time>
        </td>
        <td className="py-1.5 pr-4 whitespace-nowrap">{entry.event}</td>
        <td className="max-w-0 truncate py-1.5 pr-4 max-sm:min-w-52">
          {entry.tool && <span className="mr-2 font-mono text-xs">{entry.tool}</span>}
          <span className="text-soft">{entry.summary}</span>
        </td>
        <td
          className={`py-1.5 pr-4 whitespace-nowrap ${REFUSED.test(entry.decision) ? "text-bad" : "text-soft"}`}
        >
          {entry.decision}
        </td>
        <td className="py-0.5">
          <button
            type="button"
            aria-expanded={open}
            aria-label={t("audit.detail")}
            onClick={() => setOpen(!open)}
            className="inline-flex size-7 items-center justify-center rounded-md text-faint hover:bg-sunken hover:text-ink"
          >
            <ChevronRight
              size={14}
              aria-hidden="true"
              className={`transition-transform ${open ? "rotate-90" : ""}`}
            />
          </button>
        </td>
      </tr>
      {open && (
        <tr className="border-b border-line">
          <td colSpan={5} className="max-w-0 py-2">
            <Code code={JSON.stringify(entry, null, 2)} language="json" maxHeight="max-h-80" />
          </td>
        </tr>
      )}
    </Fragment>
  );
}
