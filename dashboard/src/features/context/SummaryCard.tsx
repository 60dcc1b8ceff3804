import { ChevronRight, FoldVertical, Undo2 } from "lucide-react";
import { useContext, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import type { Message } from "@/api/types";
import { Button } from "@/components/Button";
import { formatCount } from "@/components/format";
import { Markdown } from "@/components/markdown/Markdown";
import { useOpen } from "@/features/timeline/open";
import { en } from "@/i18n/en";
import { undoCompaction } from "./compact";
import { type RecordPart, summaryText, toSummary } from "./record";
import { SummaryContext } from "./SummaryContext";

/** Where the context was shortened: before and after, and what the model has been told since. */
export function SummaryCard({ message }: { message: Message }) {
  const { t } = useTranslation();
  const [open, toggle] = useOpen([message.id], false);
  const view = toSummary(message);
  const { newest } = useContext(SummaryContext);
  const sizes =
    view.before !== null && view.after !== null
      ? t("context.beforeAfter", {
          before: formatCount(view.before),
          after: formatCount(view.after),
        })
      : null;
  return (
    <section
      id={`m-${message.id}`}
      data-testid="summary-card"
      data-undone={view.undone}
      aria-label={t("chat.summaryTitle")}
      className="mt-6 rounded-xl border border-line bg-panel text-[0.8125rem]"
    >
      <div className="flex flex-wrap items-center gap-x-2 pr-2">
        <button
          type="button"
          aria-expanded={open}
          onClick={toggle}
          className="flex min-h-10 min-w-0 flex-1 items-center gap-2 rounded-xl px-3 py-1.5 text-left hover:text-accent"
        >
          <FoldVertical size={15} className="flex-none text-faint" aria-hidden="true" />
          <span className={`min-w-0 font-medium ${view.undone ? "text-faint line-through" : ""}`}>
            {t("chat.summaryTitle")}
          </span>
          {sizes && <span className="flex-none text-xs text-faint tabular-nums">{sizes}</span>}
          {view.undone && (
            <span className="flex-none text-xs text-soft">{t("context.undone")}</span>
          )}
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={`flex-none text-faint transition-transform ${open ? "rotate-90" : ""}`}
          />
        </button>
        {newest === message.id && <UndoButton />}
      </div>
      {open && (
        <div className="border-t border-line px-4 pt-3 pb-4">
          {view.undone && <p className="mb-3 text-soft">{t("context.undoneText")}</p>}
          {view.parts.length > 0 && (
            <dl className="mb-3 space-y-2.5">
              {view.parts.map((part) => (
                <Part key={part.name} part={part} />
              ))}
            </dl>
          )}
          <Markdown text={summaryText(message)} className="prose-small" />
        </div>
      )}
    </section>
  );
}

type KnownPart = keyof typeof en.context.record;

function Part({ part }: { part: RecordPart }) {
  const { t } = useTranslation();
  const known = Object.hasOwn(en.context.record, part.name);
  const name = known
    ? t(`context.record.${part.name as KnownPart}`)
    : part.name.replaceAll("_", " ");
  const [only, ...more] = part.items;
  return (
    <div className="grid gap-x-4 sm:grid-cols-[8rem_minmax(0,1fr)]">
      <dt className="text-xs leading-5 text-faint">{name}</dt>
      <dd className="break-words">
        {more.length === 0 ? (
          only
        ) : (
          <ul className="list-disc space-y-0.5 pl-4 marker:text-faint">
            {part.items.map((item, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes.
              <li key={index}>{item}</li>
            ))}
          </ul>
        )}
      </dd>
    </div>
  );
}

/** Takes the newest summary back. */
export function UndoButton() {
  const { t } = useTranslation();
  const { sessionId, onChanged } = useContext(SummaryContext);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const undo = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await undoCompaction(sessionId);
      onChanged();
    } catch (error) {
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("gauge.failed", { detail }));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button
        look="quiet"
        className="h-7! px-2!"
        disabled={busy}
        data-testid="summary-undo"
        onClick={() => void undo()}
      >
        <Undo2 size={13} aria-hidden="true" />
        {t("gauge.undo")}
      </Button>
      {failure && (
        <p role="alert" className="w-full px-3 pb-2 text-bad">
          {failure}
        </p>
      )}
    </>
  );
}
