import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { Library, LogOut, PanelLeft, Settings, SquarePen } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { Link, NavLink, useMatch } from "react-router";
import type { Identity } from "@/api/types";
import { Button, IconButton } from "@/components/Button";
import { Wordmark } from "@/components/Logo";
import { logout } from "../auth/auth";
import { questionsQuery } from "../questions/queries";
import { HistorySearch } from "../search/HistorySearch";
import { LanguageToggle, ThemeToggle } from "../settings/Toggles";
import { groupSessions } from "./groups";
import { sessionsQuery, sortSessions } from "./queries";
import { SessionRow } from "./SessionRow";

export function Sidebar({
  identity,
  searchRef,
  onHide,
}: {
  identity: Identity;
  searchRef: RefObject<HTMLInputElement | null>;
  onHide: () => void;
}) {
  const { t } = useTranslation();
  return (
    <nav
      aria-label={t("sidebar.label")}
      className="flex h-full flex-col [--logo-ground:var(--panel)]"
    >
      <div className="flex items-center justify-between py-2.5 pr-2 pl-3.5">
        <Link to="/" className="rounded-md" aria-label={`Almagest, ${t("app.home")}`}>
          <Wordmark />
        </Link>
        <IconButton label={t("sidebar.close")} onClick={onHide}>
          <PanelLeft size={17} />
        </IconButton>
      </div>
      <div className="px-3 pb-2">
        <Link
          to="/"
          data-testid="new-session"
          className="flex h-9 items-center gap-2 rounded-lg border border-line-strong bg-raised px-3 text-[0.8125rem] font-medium transition-colors hover:border-accent hover:text-accent"
        >
          <SquarePen size={15} aria-hidden="true" />
          {t("sidebar.newSession")}
          <kbd className="ml-auto font-sans text-2xs font-normal text-faint">Alt N</kbd>
        </Link>
        <NavLink
          to="/library"
          data-testid="library-link"
          className="mt-1 flex h-8 items-center gap-2 rounded-lg px-3 text-[0.8125rem] text-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          <Library size={15} aria-hidden="true" />
          {t("library.title")}
        </NavLink>
      </div>
      <HistorySearch inputRef={searchRef}>
        <SessionList />
      </HistorySearch>
      <Account identity={identity} />
    </nav>
  );
}

function SessionList() {
  const { t } = useTranslation();
  const list = useInfiniteQuery(sessionsQuery);
  const questions = useQuery(questionsQuery);
  const current = useMatch("/s/:id")?.params.id;
  if (list.isError) {
    return (
      <div className="flex-1 space-y-2 px-4 py-3 text-[0.8125rem] text-soft">
        <p role="alert">{t("sidebar.loadFailed")}</p>
        <Button onClick={() => void list.refetch()}>{t("app.retry")}</Button>
      </div>
    );
  }
  const sessions = list.data ? sortSessions(list.data.pages) : [];
  const asking = new Set(questions.data?.map((question) => question.session_id));
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      {list.isSuccess && sessions.length === 0 && (
        <p className="px-2 py-3 text-[0.8125rem] text-faint">{t("sidebar.empty")}</p>
      )}
      {groupSessions(sessions).map((group) => (
        <section key={group.name} className="pt-2.5">
          <h2 className="px-2 pb-1 text-2xs font-medium tracking-wide text-faint">
            {t(`sidebar.${group.name}`)}
          </h2>
          <ul>
            {group.sessions.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                current={session.id === current}
                asking={asking.has(session.id)}
              />
            ))}
          </ul>
        </section>
      ))}
      {list.hasNextPage && (
        <Button
          look="quiet"
          className="mt-2 w-full"
          disabled={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t("sidebar.more")}
        </Button>
      )}
    </div>
  );
}

function Account({ identity }: { identity: Identity }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  return (
    <div className="flex items-center gap-0.5 border-t border-line py-1.5 pr-2 pl-3.5">
      <span className="min-w-0 flex-1 truncate text-[0.8125rem] text-soft" title={identity.role}>
        {identity.username}
      </span>
      <LanguageToggle />
      <ThemeToggle />
      <Link
        to="/settings"
        aria-label={t("settings.title")}
        title={t("settings.title")}
        data-testid="settings-link"
        className="inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-sunken hover:text-ink"
      >
        <Settings size={16} />
      </Link>
      <IconButton
        label={t("auth.logout")}
        data-testid="logout"
        onClick={() => void logout(client).catch(() => undefined)}
      >
        <LogOut size={16} />
      </IconButton>
    </div>
  );
}
