import { useQueryClient } from "@tanstack/react-query";
import { Ellipsis, MessageCircleQuestion, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import type { Session, SessionPatch } from "@/api/types";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { deleteSession, patchSession } from "./queries";
import { titleOf } from "./title";

export function SessionRow({
  session,
  current,
  asking,
}: {
  session: Session;
  current: boolean;
  asking: boolean;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [mode, setMode] = useState<"show" | "rename" | "delete">("show");
  const [failure, setFailure] = useState<string | null>(null);
  const title = titleOf(session, t);

  const attempt = async (work: Promise<void>) => {
    setFailure(null);
    try {
      await work;
      return true;
    } catch (error) {
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("sidebar.changeFailed", { detail }));
      return false;
    }
  };
  const change = (patch: SessionPatch) => attempt(patchSession(client, session.id, patch));

  return (
    <li className="group/row relative">
      {mode === "rename" ? (
        <RenameField
          title={session.title}
          onDone={(next) => {
            setMode("show");
            if (next && next !== session.title) void change({ title: next });
          }}
        />
      ) : (
        <Link
          to={`/s/${session.id}`}
          aria-current={current ? "page" : undefined}
          data-testid="session-row"
          data-session-id={session.id}
          className="flex h-8 items-center gap-2 rounded-lg pr-8 pl-2 text-[0.8125rem] text-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-ink"
        >
          <span className="min-w-0 flex-1 truncate" title={title}>
            {title}
          </span>
          {asking ? (
            <>
              <MessageCircleQuestion size={15} className="flex-none text-gold" aria-hidden="true" />
              <span className="sr-only">{t("sidebar.waiting")}</span>
            </>
          ) : session.active_run_id ? (
            <>
              <span className="orbit" aria-hidden="true" />
              <span className="sr-only">{t("sidebar.running")}</span>
            </>
          ) : null}
        </Link>
      )}
      {mode !== "rename" && (
        <DropdownMenu.Root modal={false}>
          <DropdownMenu.Trigger
            aria-label={t("sidebar.actions", { title })}
            className="absolute top-0.5 right-0.5 inline-flex size-7 items-center justify-center rounded-md text-faint opacity-0 group-hover/row:opacity-100 hover:text-ink focus-visible:opacity-100 data-[state=open]:opacity-100 [@media(hover:none)]:opacity-100"
          >
            <Ellipsis size={15} />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content
              align="start"
              sideOffset={4}
              className="z-50 min-w-40 rounded-lg border border-line bg-raised p-1 text-[0.8125rem] text-ink shadow-card"
            >
              <Action icon={<Pencil size={14} />} onSelect={() => setMode("rename")}>
                {t("sidebar.rename")}
              </Action>
              <Action
                icon={session.pinned ? <PinOff size={14} /> : <Pin size={14} />}
                onSelect={() => void change({ pinned: !session.pinned })}
              >
                {t(session.pinned ? "sidebar.unpin" : "sidebar.pin")}
              </Action>
              <Action icon={<Trash2 size={14} />} danger onSelect={() => setMode("delete")}>
                {t("sidebar.delete")}
              </Action>
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
      {failure && (
        <p role="alert" className="px-2 py-1 text-xs text-bad">
          {failure}
        </p>
      )}
      {mode === "delete" && (
        <Dialog title={t("sidebar.deleteTitle")} onClose={() => setMode("show")}>
          <p>{t("sidebar.deleteText", { title })}</p>
          <div className="mt-5 flex justify-end gap-2">
            <Button onClick={() => setMode("show")}>{t("app.cancel")}</Button>
            <Button
              look="danger"
              data-testid="confirm-delete"
              onClick={() =>
                void attempt(deleteSession(client, session.id)).then((worked) => {
                  setMode("show");
                  if (worked && current) void navigate("/");
                })
              }
            >
              {t("sidebar.delete")}
            </Button>
          </div>
        </Dialog>
      )}
    </li>
  );
}

function Action({
  icon,
  children,
  onSelect,
  danger = false,
}: {
  icon: ReactNode;
  children: ReactNode;
  onSelect: () => void;
  danger?: boolean;
}) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className={`flex cursor-pointer items-center gap-2.5 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-sunken ${danger ? "text-bad" : ""}`}
    >
      {icon}
      {children}
    </DropdownMenu.Item>
  );
}

function RenameField({ title, onDone }: { title: string; onDone: (next: string | null) => void }) {
  const { t } = useTranslation();
  const ref = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(title);
  useEffect(() => {
    // After the menu has given its focus back.
    const timer = setTimeout(() => ref.current?.select());
    return () => clearTimeout(timer);
  }, []);
  return (
    <input
      ref={ref}
      aria-label={t("sidebar.renameLabel")}
      value={text}
      maxLength={200}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => onDone(text.trim())}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === "Enter") onDone(text.trim());
        if (event.key === "Escape") onDone(null);
      }}
      className="h-8 w-full rounded-lg border border-accent bg-page px-2 text-[0.8125rem] outline-none"
    />
  );
}
