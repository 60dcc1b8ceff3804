import { useState } from "react";
import { useTranslation } from "react-i18next";
import { PaperLine } from "./PaperCard";
import type { SearchView } from "./shapes";

const SHOWN = 6;

/** What a search brought: how each source did, the papers, and the query as it was sent. */
export function SearchResults({ search }: { search: SearchView }) {
  const { t } = useTranslation();
  const [all, setAll] = useState(false);
  const papers = all ? search.papers : search.papers.slice(0, SHOWN);
  const hidden = search.papers.length - papers.length;
  return (
    <div>
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
        {search.sources.map((source) => (
          <li key={source.name} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden="true"
              className={`size-1.5 flex-none rounded-full ${source.status === "ok" ? "bg-good" : source.status === "failed" ? "bg-bad" : "bg-line-strong"}`}
            />
            <span className="font-medium">{sourceName(source.name)}</span>
            <span className="min-w-0 break-words text-faint tabular-nums">
              {source.status === "failed"
                ? [t("tool.sourceFailed"), source.detail].filter(Boolean).join(": ")
                : source.status === "skipped"
                  ? [t("tool.sourceSkipped"), source.detail].filter(Boolean).join(": ")
                  : source.total !== null
                    ? source.total.toLocaleString()
                    : ""}
            </span>
          </li>
        ))}
      </ul>
      {papers.length > 0 && (
        <ol className="mt-2 divide-y divide-line rounded-lg border border-line bg-raised">
          {papers.map((paper, index) => (
            <li
              key={paper.id ?? paper.bibcode ?? paper.arxivId ?? paper.title}
              className="flex gap-3 px-3 py-2"
            >
              <span className="w-4 flex-none pt-0.5 text-right text-xs text-faint tabular-nums">
                {index + 1}
              </span>
              <PaperLine paper={paper} />
            </li>
          ))}
        </ol>
      )}
      {hidden > 0 && (
        <button
          type="button"
          className="mt-1.5 rounded-md text-xs text-accent hover:underline"
          onClick={() => setAll(true)}
        >
          {t("tool.moreItems", { count: hidden })}
        </button>
      )}
      {search.sent.length > 0 && (
        <dl className="mt-2 space-y-0.5 text-xs text-faint">
          <dt className="sr-only">{t("tool.querySent")}</dt>
          {search.sent.map(([name, query]) => (
            <dd key={name} className="break-words">
              {sourceName(name)}: <code className="font-mono text-2xs">{query}</code>
            </dd>
          ))}
        </dl>
      )}
    </div>
  );
}

function sourceName(name: string): string {
  return name === "ads" ? "ADS" : name === "arxiv" ? "arXiv" : name;
}
