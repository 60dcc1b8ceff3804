import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, Search } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import type { LibraryPaper } from "@/api/types";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { AddPapers } from "@/features/library/AddPapers";
import {
  fromParams,
  HOLDINGS,
  type LibraryFilter,
  narrows,
  ORDERS,
  STATES,
  toParams,
  year,
} from "@/features/library/filter";
import { LookAlikes } from "@/features/library/LookAlikes";
import { PaperRow } from "@/features/library/PaperRow";
import {
  changePaper,
  deletePaper,
  libraryQuery,
  refreshLibrary,
  tagsQuery,
  toEach,
} from "@/features/library/queries";
import { FIELD, Loaded, Notice, Page, useSettled } from "@/features/settings/Page";

/** The papers of the library; what is shown lives in the address. */
export default function LibraryPage() {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const filter = fromParams(params);
  const [adding, setAdding] = useState(false);
  const [deleting, setDeleting] = useState<LibraryPaper[]>([]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useInfiniteQuery(libraryQuery(filter));
  const show = (next: LibraryFilter) => setParams(toParams(next), { replace: true });
  const papers = list.data?.pages.flatMap((page) => page.items) ?? [];
  const total = list.data?.pages[0]?.total ?? 0;
  // Only what is seen can be chosen: a filter must not hide what a deletion would take.
  const chosen = papers.filter((paper) => selected.has(paper.id));
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen.map((paper) => paper.id));
    if (on) next.add(id);
    else next.delete(id);
    setSelected(next);
  };
  return (
    <div className="min-h-0 flex-1 overflow-y-auto in-data-[sidebar=closed]:max-lg:pt-4">
      <Page
        title={t("library.title")}
        text={t("library.text")}
        wide="max-w-[56rem]"
        actions={
          <Button look="primary" data-testid="library-add" onClick={() => setAdding(true)}>
            <Plus size={14} aria-hidden="true" />
            {t("library.add")}
          </Button>
        }
      >
        {adding && <AddPapers onClose={() => setAdding(false)} />}
        {deleting.length > 0 && (
          <DeletePapers
            papers={deleting}
            onClose={() => setDeleting([])}
            onDone={() => setSelected(new Set())}
          />
        )}
        <Filters filter={filter} onChange={show} />
        <LookAlikes />
        <Loaded query={list}>
          {() =>
            papers.length === 0 ? (
              <Notice>{t(narrows(filter) ? "library.noMatch" : "library.empty")}</Notice>
            ) : (
              <>
                <Bar
                  papers={papers}
                  total={total}
                  chosen={chosen}
                  onChoose={(all) =>
                    setSelected(new Set(all ? papers.map((paper) => paper.id) : []))
                  }
                  onDelete={() => setDeleting(chosen)}
                />
                <ul
                  className="divide-y divide-line border-y border-line"
                  aria-busy={list.isFetching}
                >
                  {papers.map((paper) => (
                    <PaperRow
                      key={paper.id}
                      paper={paper}
                      selected={selected.has(paper.id)}
                      onSelect={(on) => choose(paper.id, on)}
                      onTag={(tag) => show({ ...filter, tag })}
                      onDelete={() => setDeleting([paper])}
                    />
                  ))}
                </ul>
                {list.hasNextPage && (
                  <Button
                    className="mt-4 w-full"
                    disabled={list.isFetchingNextPage}
                    onClick={() => void list.fetchNextPage()}
                  >
                    {t("library.more", { shown: papers.length, total })}
                  </Button>
                )}
              </>
            )
          }
        </Loaded>
      </Page>
    </div>
  );
}

function Filters({
  filter,
  onChange,
}: {
  filter: LibraryFilter;
  onChange: (filter: LibraryFilter) => void;
}) {
  const { t } = useTranslation();
  const tags = useQuery(tagsQuery);
  const change = (name: keyof LibraryFilter, value: string | number | undefined) =>
    onChange(fromParams(toParams({ ...filter, [name]: value || undefined })));
  return (
    <search className="mt-6 block">
      <div className="relative">
        <Search
          size={15}
          aria-hidden="true"
          className="pointer-events-none absolute top-2.5 left-2.5 text-faint"
        />
        <Settling
          type="search"
          label={t("library.search")}
          value={filter.q ?? ""}
          testId="library-search"
          className={`h-9 w-full pl-8! ${FIELD}`}
          onChange={(text) => change("q", text.trim())}
        />
      </div>
      <div className="mt-2 flex flex-wrap items-center gap-2 text-[0.8125rem]">
        <Choice
          label={t("library.tag")}
          value={filter.tag}
          onChange={(value) => change("tag", value)}
          options={(tags.data ?? []).map(({ tag, count }) => [tag, `${tag} (${count})`])}
        />
        <Choice
          label={t("library.has")}
          value={filter.has}
          onChange={(value) => change("has", value)}
          options={HOLDINGS.map((each) => [each, t(`library.holdings.${each}`)])}
        />
        <Choice
          label={t("library.state")}
          value={filter.state}
          onChange={(value) => change("state", value)}
          options={STATES.map((each) => [each, t(`library.states.${each}`)])}
        />
        <span className="flex items-center gap-1.5">
          <Settling
            label={t("library.yearFrom")}
            value={filter.year_from?.toString() ?? ""}
            inputMode="numeric"
            className={`h-8 w-18 tabular-nums ${FIELD}`}
            onChange={(text) => change("year_from", year(text))}
          />
          <span aria-hidden="true">–</span>
          <Settling
            label={t("library.yearTo")}
            value={filter.year_to?.toString() ?? ""}
            inputMode="numeric"
            className={`h-8 w-18 tabular-nums ${FIELD}`}
            onChange={(text) => change("year_to", year(text))}
          />
        </span>
        {narrows(filter) && (
          <Button look="quiet" onClick={() => onChange(filter.sort ? { sort: filter.sort } : {})}>
            {t("library.clear")}
          </Button>
        )}
        <label className="ml-auto flex items-center gap-2">
          <span className="text-soft">{t("library.sort")}</span>
          <select
            value={filter.sort ?? "added"}
            onChange={(event) => change("sort", event.target.value)}
            className={`h-8 ${FIELD}`}
          >
            {ORDERS.map((each) => (
              <option key={each} value={each}>
                {t(`library.orders.${each}`)}
              </option>
            ))}
          </select>
        </label>
      </div>
      <datalist id="library-tags">
        {tags.data?.map(({ tag }) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
    </search>
  );
}

/** A field whose text goes on once nobody types; from outside it can be set at any time. */
function Settling({
  label,
  value,
  testId,
  onChange,
  ...rest
}: {
  label: string;
  value: string;
  testId?: string;
  onChange: (text: string) => void;
  className: string;
  type?: "search";
  inputMode?: "numeric";
}) {
  const [text, setText] = useState(value);
  const [told, setTold] = useState(value);
  const settled = useSettled(text);
  if (value !== told) {
    setTold(value);
    // What was sent comes back trimmed; whoever types on keeps the blank.
    if (value !== text.trim()) setText(value);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the text has settled, and then only.
  useEffect(() => {
    if (settled === text && settled.trim() !== value) onChange(settled);
  }, [settled]);
  return (
    <input
      {...rest}
      aria-label={label}
      placeholder={label}
      value={text}
      data-testid={testId}
      onChange={(event) => setText(event.target.value)}
    />
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: string | undefined;
  options: [string, string][];
  onChange: (value: string) => void;
}) {
  // A tag of the address stays a choice even where no paper has it any more.
  const known = !value || options.some(([each]) => each === value);
  const all = known ? options : [...options, [value, value] as const];
  return (
    <select
      aria-label={label}
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value)}
      className={`h-8 max-w-44 ${FIELD}`}
    >
      <option value="">{label}</option>
      {all.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** How many there are, and what can be done to the chosen ones. */
function Bar({
  papers,
  total,
  chosen,
  onChoose,
  onDelete,
}: {
  papers: LibraryPaper[];
  total: number;
  chosen: LibraryPaper[];
  onChoose: (all: boolean) => void;
  onDelete: () => void;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [tag, setTag] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const run = async (work: (paper: LibraryPaper) => Promise<unknown>) => {
    setBusy(true);
    const { failed, detail } = await toEach(chosen, (paper) => work(paper as LibraryPaper));
    await refreshLibrary(client);
    setBusy(false);
    setFailure(failed ? t("library.someFailed", { count: failed, detail }) : "");
  };
  const add = tag.trim();
  return (
    <div className="mt-5 flex min-h-12 flex-wrap items-center gap-x-3 gap-y-2 py-2 text-[0.8125rem]">
      <label className="flex items-center gap-3">
        <input
          type="checkbox"
          checked={chosen.length === papers.length}
          ref={(box) => {
            if (box) box.indeterminate = chosen.length > 0 && chosen.length < papers.length;
          }}
          aria-label={t("library.selectAll")}
          onChange={(event) => onChoose(event.target.checked)}
          className="size-4 accent-(--accent)"
        />
        <span role="status" className="text-soft" data-testid="library-count">
          {chosen.length > 0
            ? t("library.selected", { count: chosen.length })
            : t("library.papers", { count: total })}
        </span>
      </label>
      {chosen.length > 0 && (
        <ActionGroup>
          <form
            className="flex gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              setTag("");
              void run((paper) => changePaper(paper.id, { tags: [...paper.tags, add] }));
            }}
          >
            <input
              value={tag}
              list="library-tags"
              aria-label={t("library.addTag")}
              placeholder={t("library.addTag")}
              onChange={(event) => setTag(event.target.value)}
              className={`h-8 w-36 ${FIELD}`}
            />
            <Button type="submit" disabled={busy || add === ""}>
              {t("library.tagAction")}
            </Button>
          </form>
          <Button
            disabled={busy}
            title={t("library.takeOutText")}
            onClick={() => void run((paper) => changePaper(paper.id, { in_library: false }))}
          >
            {t("library.takeOut")}
          </Button>
          <Button disabled={busy} onClick={onDelete}>
            {t("library.deleteAction")}
          </Button>
        </ActionGroup>
      )}
      {failure && (
        <p role="alert" className="w-full text-bad">
          {failure}
        </p>
      )}
    </div>
  );
}

function ActionGroup({ children }: { children: ReactNode }) {
  return <div className="ml-auto flex flex-wrap gap-2">{children}</div>;
}

function DeletePapers({
  papers,
  onClose,
  onDone,
}: {
  papers: LibraryPaper[];
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState("");
  const remove = async () => {
    setBusy(true);
    const { failed, detail } = await toEach(papers, (paper) => deletePaper(paper.id));
    await refreshLibrary(client);
    setBusy(false);
    if (failed) {
      setFailure(t("library.someFailed", { count: failed, detail }));
    } else {
      onDone();
      onClose();
    }
  };
  return (
    <Dialog title={t("library.deleteTitle", { count: papers.length })} onClose={onClose}>
      <p>{papers.length === 1 ? papers[0]?.title : null}</p>
      <p className="mt-2">{t("library.deleteText")}</p>
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={onClose}>{t("app.cancel")}</Button>
        <Button
          look="danger"
          data-testid="library-delete-confirm"
          disabled={busy}
          onClick={() => void remove()}
        >
          {t("library.deleteAction")}
        </Button>
      </div>
    </Dialog>
  );
}
