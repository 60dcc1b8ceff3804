import { keepPreviousData, queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Pin, PinOff, Plus, Search, Trash2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { api, body, done } from "@/api/client";
import type { Memory, MemoryKind } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { Button, IconButton } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { formatDate } from "@/components/format";
import { FIELD, Loaded, Notice, Page, useAttempt, useSettled } from "@/features/settings/Page";

const LIMIT = 200;
const KINDS: MemoryKind[] = ["preference", "fact", "decision", "reference"];

function memoriesQuery(q: string) {
  return queryOptions({
    queryKey: ["memories", q],
    queryFn: async (): Promise<Memory[]> =>
      (
        await body(
          api.GET("/api/memories", { params: { query: { limit: LIMIT, ...(q ? { q } : {}) } } }),
        )
      ).items,
    placeholderData: keepPreviousData,
  });
}

export default function MemoriesPage() {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [adding, setAdding] = useState(false);
  const query = useSettled(text.trim());
  const memories = useQuery(memoriesQuery(query));
  return (
    <Page
      title={t("memories.title")}
      text={t("memories.text")}
      actions={
        <Button data-testid="memory-add" onClick={() => setAdding(true)}>
          <Plus size={14} aria-hidden="true" />
          {t("memories.add")}
        </Button>
      }
    >
      {adding && <NewMemory onClose={() => setAdding(false)} />}
      <div className="relative mt-6">
        <Search
          size={15}
          aria-hidden="true"
          className="pointer-events-none absolute top-2.5 left-2.5 text-faint"
        />
        <input
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-label={t("memories.search")}
          placeholder={t("memories.search")}
          data-testid="memory-search"
          className={`h-9 w-full pl-8! ${FIELD}`}
        />
      </div>
      <Loaded query={memories}>
        {(list) =>
          list.length === 0 ? (
            <Notice>{query ? t("memories.none", { query }) : t("pages.none")}</Notice>
          ) : (
            <ul className="mt-4 divide-y divide-line border-y border-line">
              {list.map((memory) => (
                <Row key={memory.id} memory={memory} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function NewMemory({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { busy, failure, attempt } = useAttempt();
  const [content, setContent] = useState("");
  const [kind, setKind] = useState<MemoryKind>("preference");
  const save = async () => {
    const saved = await attempt(async () => {
      await body(api.POST("/api/memories", { body: { content, kind, pinned: false } }));
      await client.invalidateQueries({ queryKey: ["memories"] });
    });
    if (saved) onClose();
  };
  return (
    <Dialog title={t("memories.add")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <textarea
          aria-label={t("memories.content")}
          placeholder={t("memories.content")}
          value={content}
          maxLength={800}
          onChange={(event) => setContent(event.target.value)}
          className={`block field-sizing-content min-h-24 w-full resize-none py-2 ${FIELD}`}
        />
        <label className="mt-3 flex items-center gap-2.5">
          <span className="text-soft">{t("memories.kind")}</span>
          <select
            value={kind}
            onChange={(event) => setKind(KINDS.find((each) => each === event.target.value) ?? kind)}
            className={`h-9 ${FIELD}`}
          >
            {KINDS.map((each) => (
              <option key={each} value={each}>
                {t(`memories.kinds.${each}`)}
              </option>
            ))}
          </select>
        </label>
        {failure && (
          <p role="alert" className="mt-2 text-bad">
            {failure}
          </p>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{t("app.cancel")}</Button>
          <Button type="submit" look="primary" disabled={busy || content.trim() === ""}>
            {t("app.save")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Row({ memory }: { memory: Memory }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage();
  const { busy, failure, attempt } = useAttempt();
  const [draft, setDraft] = useState<string | null>(null);
  const [deleting, setDeleting] = useState(false);
  const path = { params: { path: { id: memory.id } } };
  const refresh = () => client.invalidateQueries({ queryKey: ["memories"] });
  const change = (patch: { content?: string; pinned?: boolean }) =>
    attempt(async () => {
      await body(api.PATCH("/api/memories/{id}", { ...path, body: patch }));
      await refresh();
    });
  const save = async () => {
    const next = draft?.trim();
    if (!next || next === memory.content) setDraft(null);
    else if (await change({ content: next })) setDraft(null);
  };
  const session = memory.source?.session_id;
  const message = memory.source?.message_id;
  return (
    <li data-testid="memory" className="py-3">
      {draft === null ? (
        <div className="flex items-start gap-3">
          <div className="min-w-0 flex-1">
            <p className="break-words whitespace-pre-wrap">{memory.content}</p>
            <p className="mt-1 flex flex-wrap gap-x-2.5 text-xs text-faint">
              {memory.pinned && <Pin size={12} className="mt-0.5 text-accent" aria-hidden="true" />}
              <span>{t(`memories.kinds.${memory.kind}`)}</span>
              <span>{formatDate(memory.created_at, language)}</span>
              {memory.last_used_at && (
                <span>
                  {t("memories.used", { time: formatDate(memory.last_used_at, language) })}
                </span>
              )}
              {session && (
                <Link
                  to={`/s/${session}${message ? `?m=${message}` : ""}`}
                  className="underline decoration-line-strong underline-offset-4 hover:text-ink"
                >
                  {t("memories.source")}
                </Link>
              )}
            </p>
          </div>
          <span className="flex flex-none">
            <IconButton
              label={t(memory.pinned ? "memories.unpin" : "memories.pin")}
              aria-pressed={memory.pinned}
              disabled={busy}
              onClick={() => void change({ pinned: !memory.pinned })}
            >
              {memory.pinned ? <PinOff size={14} /> : <Pin size={14} />}
            </IconButton>
            <IconButton label={t("memories.editLabel")} onClick={() => setDraft(memory.content)}>
              <Pencil size={14} />
            </IconButton>
            <IconButton label={t("memories.deleteLabel")} onClick={() => setDeleting(true)}>
              <Trash2 size={14} />
            </IconButton>
          </span>
        </div>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <textarea
            // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
            autoFocus
            aria-label={t("memories.editLabel")}
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setDraft(null);
            }}
            className={`block field-sizing-content min-h-16 w-full resize-none py-2 ${FIELD}`}
          />
          <div className="mt-2 flex justify-end gap-2">
            <Button onClick={() => setDraft(null)}>{t("app.cancel")}</Button>
            <Button type="submit" look="primary" disabled={busy}>
              {t("app.save")}
            </Button>
          </div>
        </form>
      )}
      {failure && (
        <p role="alert" className="mt-1 text-bad">
          {failure}
        </p>
      )}
      {deleting && (
        <Dialog title={t("memories.deleteTitle")} onClose={() => setDeleting(false)}>
          <p className="break-words">{memory.content}</p>
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={() => setDeleting(false)}>{t("app.cancel")}</Button>
            <Button
              look="danger"
              disabled={busy}
              data-testid="memory-delete"
              onClick={() =>
                void attempt(async () => {
                  await done(api.DELETE("/api/memories/{id}", path));
                  await refresh();
                }).then(() => setDeleting(false))
              }
            >
              {t("pages.delete")}
            </Button>
          </div>
        </Dialog>
      )}
    </li>
  );
}
