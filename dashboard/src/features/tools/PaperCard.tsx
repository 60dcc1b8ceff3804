import { useTranslation } from "react-i18next";
import { type PaperView, paperUrl } from "./shapes";

const AUTHORS = 3;

/** Title, who, where, when, and the names it goes by. */
export function PaperLine({ paper }: { paper: PaperView }) {
  const { t } = useTranslation();
  const url = paperUrl(paper);
  const authors =
    paper.authors.length > AUTHORS
      ? `${paper.authors.slice(0, AUTHORS).join("; ")} ${t("tool.etAl")}`
      : paper.authors.join("; ");
  return (
    <div className="min-w-0">
      <p className="font-serif text-[0.9375rem] leading-snug text-ink">
        {url ? (
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            className="decoration-line-strong underline-offset-4 hover:text-accent hover:underline"
          >
            {paper.title}
          </a>
        ) : (
          paper.title
        )}
      </p>
      <p className="mt-0.5 flex flex-wrap gap-x-2 text-xs text-soft">
        <span>{authors}</span>
        {paper.year && <span className="tabular-nums">{paper.year}</span>}
        {paper.venue && <span className="italic">{paper.venue}</span>}
      </p>
      <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-xs text-faint">
        {paper.bibcode && <span className="font-mono text-2xs">{paper.bibcode}</span>}
        {paper.arxivId && <span className="font-mono text-2xs">arXiv:{paper.arxivId}</span>}
        {paper.citations !== null && (
          <span className="tabular-nums">{t("tool.citations", { count: paper.citations })}</span>
        )}
        {paper.inLibrary && <span className="text-good">{t("tool.inLibrary")}</span>}
        {paper.state === "retracted" && (
          <strong className="font-semibold text-bad">{t("tool.retracted")}</strong>
        )}
        {paper.state === "withdrawn" && (
          <strong className="font-semibold text-bad">{t("tool.withdrawn")}</strong>
        )}
      </p>
    </div>
  );
}

export function PaperCard({ paper }: { paper: PaperView }) {
  const { t } = useTranslation();
  return (
    <div className="rounded-lg border border-line bg-raised px-3.5 py-2.5">
      <PaperLine paper={paper} />
      {paper.abstract && (
        <p className="mt-2 max-h-60 overflow-y-auto font-serif text-[0.875rem] leading-[1.55] text-soft">
          <span className="sr-only">{t("tool.abstract")}: </span>
          {paper.abstract}
        </p>
      )}
      {paper.keywords.length > 0 && (
        <p className="mt-2 text-xs text-faint">
          <span className="sr-only">{t("tool.keywords")}: </span>
          {paper.keywords.slice(0, 10).join(" · ")}
        </p>
      )}
    </div>
  );
}
