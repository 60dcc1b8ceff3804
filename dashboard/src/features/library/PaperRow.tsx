import { useQueryClient } from "@tanstack/react-query";
import { FileText, NotebookPen, ScanText, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { LibraryPaper } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { Button, IconButton } from "@/components/Button";
import { CopyButton } from "@/components/CopyButton";
import { formatDate } from "@/components/format";
import { FIELD, useAttempt } from "@/features/settings/Page";
import { paperUrl, toPaper } from "@/features/tools/shapes";
import { splitTags } from "./filter";
import { changePaper, refreshLibrary } from "./queries";

const AUTHORS = 3;

/** A paper of the list: what it is, what it has, and its tags. */
export function PaperRow({
  paper,
  selected,
  onSelect,
  onTag,
  onDelete,
}: {
  paper: LibraryPaper;
  selected: boolean;
  onSelect: (selected: boolean) => void;
  onTag: (tag: string) => void;
  onDelete: () => void;
}) {
  const { t } = useTranslation();
  const language = useLanguage();
  const [tagging, setTagging] = useState(false);
  const view = toPaper(paper);
  const url = view && paperUrl(view);
  const names = paper.authors.map((author) => author.name);
  const title = paper.title || t("library.untitled");
  const best = paper.bibcode ?? paper.doi ?? paper.arxiv_id;
  return (
    <li
      data-testid="library-paper"
      className="group grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 py-3"
    >
      <input
        type="checkbox"
        checked={selected}
        aria-label={t("library.select", { title })}
        onChange={(event) => onSelect(event.target.checked)}
        className="mt-1 size-4 accent-(--accent)"
      />
      <div className="min-w-0">
        <p className="font-serif text-[0.9375rem] leading-snug [overflow-wrap:anywhere]">
          {url ? (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="decoration-line-strong underline-offset-4 hover:text-accent hover:underline"
            >
              {title}
            </a>
          ) : (
            title
          )}
        </p>
        <p className="mt-0.5 flex flex-wrap gap-x-2 text-xs text-soft">
          <span title={names.length > AUTHORS ? names.slice(0, 30).join("; ") : undefined}>
            {names.slice(0, AUTHORS).join("; ")}
            {names.length > AUTHORS && ` ${t("tool.etAl")}`}
          </span>
          {paper.year && <span className="tabular-nums">{paper.year}</span>}
          <span className="italic">{paper.published_as ?? paper.venue}</span>
        </p>
        <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
          {paper.state !== "ok" && (
            <strong
              className={`rounded px-1.5 font-semibold ${paper.state === "corrected" ? "bg-sunken text-ink" : "bg-bad text-on-accent"}`}
            >
              {t(`library.states.${paper.state}`)}
            </strong>
          )}
          {best && (
            <span className="font-mono text-2xs [overflow-wrap:anywhere]">
              {best === paper.arxiv_id ? `arXiv:${best.replace(/^arxiv:/i, "")}` : best}
            </span>
          )}
          {paper.citation_count != null && (
            <span className="tabular-nums">
              {t("tool.citations", { count: paper.citation_count })}
            </span>
          )}
          {paper.has_pdf && <Mark icon={<FileText size={12} />} text={t("library.holdings.pdf")} />}
          {paper.has_text && (
            <Mark icon={<ScanText size={12} />} text={t("library.holdings.text")} />
          )}
          {paper.notes_count > 0 && (
            <Mark
              icon={<NotebookPen size={12} />}
              text={t("library.notes", { count: paper.notes_count })}
            />
          )}
          <span>{t("library.addedAt", { time: formatDate(paper.added_at, language) })}</span>
          {paper.tags.map((tag) => (
            <button
              key={tag}
              type="button"
              onClick={() => onTag(tag)}
              title={t("library.onlyTag", { tag })}
              className="rounded-full border border-line-strong px-2 text-soft hover:border-accent hover:text-accent"
            >
              {tag}
            </button>
          ))}
        </p>
        {tagging && <TagEditor paper={paper} onClose={() => setTagging(false)} />}
      </div>
      <span className="flex flex-none items-start">
        {best && <CopyButton text={best} label={t("library.copyIdentifier")} />}
        <IconButton
          label={t("library.editTags")}
          aria-expanded={tagging}
          className="size-7!"
          onClick={() => setTagging(!tagging)}
        >
          <Tag size={14} />
        </IconButton>
        <IconButton label={t("library.delete")} className="size-7!" onClick={onDelete}>
          <Trash2 size={14} />
        </IconButton>
      </span>
    </li>
  );
}

function Mark({ icon, text }: { icon: React.ReactNode; text: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-good">
      <span aria-hidden="true">{icon}</span>
      {text}
    </span>
  );
}

function TagEditor({ paper, onClose }: { paper: LibraryPaper; onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { busy, failure, attempt } = useAttempt();
  const [text, setText] = useState(paper.tags.join(", "));
  const save = async () => {
    const saved = await attempt(async () => {
      await changePaper(paper.id, { tags: splitTags(text) });
      await refreshLibrary(client);
    });
    if (saved) onClose();
  };
  return (
    <form
      className="mt-2 flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it appears because its button was pressed.
        autoFocus
        value={text}
        aria-label={t("library.tagsOf")}
        placeholder={t("library.tagsOf")}
        list="library-tags"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") onClose();
        }}
        className={`h-8 min-w-40 flex-1 text-[0.8125rem] ${FIELD}`}
      />
      <Button type="submit" look="primary" disabled={busy}>
        {t("app.save")}
      </Button>
      <Button onClick={onClose}>{t("app.cancel")}</Button>
      {failure && (
        <p role="alert" className="w-full text-bad">
          {failure}
        </p>
      )}
    </form>
  );
}
