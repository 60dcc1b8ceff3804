import { Clock, Pencil, RotateCcw, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import type { Message } from "@/api/types";
import { Button, IconButton } from "@/components/Button";
import { useDrafts } from "./drafts";
import { discard, editQueued, type Outgoing, resend, withdrawQueued } from "./outbox";

/** The messages that wait for the run to take them up, and those that did not get through. */
export function Queue({
  waiting,
  failed,
}: {
  waiting: readonly Message[];
  failed: readonly Outgoing[];
}) {
  const { t } = useTranslation();
  if (waiting.length === 0 && failed.length === 0) return null;
  return (
    <ul aria-label={t("queue.label")} className="mb-2 max-h-[35vh] space-y-1.5 overflow-y-auto">
      {waiting.map((message) => (
        <QueuedItem key={message.id} message={message} />
      ))}
      {failed.map((item) => (
        <FailedItem key={item.clientId} item={item} />
      ))}
    </ul>
  );
}

function useFailure() {
  const { t } = useTranslation();
  const [failure, setFailure] = useState<string | null>(null);
  const attempt = async (work: Promise<void>): Promise<boolean> => {
    setFailure(null);
    try {
      await work;
      return true;
    } catch (error) {
      const late = error instanceof ApiError && (error.status === 404 || error.status === 409);
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(late ? t("queue.late") : t("queue.failed", { detail }));
      return false;
    }
  };
  return { failure, attempt };
}

function QueuedItem({ message }: { message: Message }) {
  const { t } = useTranslation();
  const [editing, setEditing] = useState<string | null>(null);
  const { failure, attempt } = useFailure();
  const save = async () => {
    const text = editing?.trim();
    if (!text) return;
    if (await attempt(editQueued(message, text))) setEditing(null);
  };
  return (
    <li
      data-testid="queue-item"
      className="rounded-xl border border-dashed border-line-strong bg-page px-3 py-1.5 text-[0.8125rem]"
    >
      {editing === null ? (
        <div className="flex items-center gap-2">
          <Clock size={14} className="flex-none text-faint" aria-hidden="true" />
          <span className="line-clamp-2 min-w-0 flex-1 break-words" data-testid="queue-text">
            {message.content}
          </span>
          <span className="text-xs text-faint max-sm:hidden">{t("queue.waits")}</span>
          <IconButton
            label={t("queue.edit")}
            className="size-7!"
            data-testid="queue-edit"
            onClick={() => setEditing(message.content)}
          >
            <Pencil size={13} />
          </IconButton>
          <IconButton
            label={t("queue.withdraw")}
            className="size-7!"
            data-testid="queue-withdraw"
            onClick={() => void attempt(withdrawQueued(message))}
          >
            <X size={14} />
          </IconButton>
        </div>
      ) : (
        <div className="space-y-2 py-1">
          <textarea
            aria-label={t("queue.edit")}
            // biome-ignore lint/a11y/noAutofocus: the user asked to edit this text.
            autoFocus
            rows={2}
            value={editing}
            data-testid="queue-edit-text"
            onChange={(event) => setEditing(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setEditing(null);
            }}
            className="block w-full resize-y rounded-lg border border-line-strong bg-raised px-2.5 py-1.5 outline-none focus:border-accent"
          />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setEditing(null)}>{t("app.cancel")}</Button>
            <Button look="primary" data-testid="queue-save" onClick={() => void save()}>
              {t("app.save")}
            </Button>
          </div>
        </div>
      )}
      {failure && (
        <p role="alert" className="pt-1 text-xs text-bad">
          {failure}
        </p>
      )}
    </li>
  );
}

function FailedItem({ item }: { item: Outgoing }) {
  const { t } = useTranslation();
  const write = useDrafts((state) => state.write);
  return (
    <li
      data-testid="failed-item"
      className="rounded-xl border border-bad/40 bg-bad-soft px-3 py-2 text-[0.8125rem]"
    >
      <p className="line-clamp-3 break-words">{item.text}</p>
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <span role="alert" className="min-w-0 flex-1 text-xs text-bad">
          {t("chat.sendFailed", { detail: item.error || t("app.unreachable") })}
        </span>
        <Button look="quiet" onClick={() => discard(item)}>
          {t("chat.discard")}
        </Button>
        <Button
          look="quiet"
          onClick={() => {
            write(item.sessionId, item.text);
            discard(item);
          }}
        >
          {t("chat.backToDraft")}
        </Button>
        <Button onClick={() => void resend(item)}>
          <RotateCcw size={13} />
          {t("chat.resend")}
        </Button>
      </div>
    </li>
  );
}
