import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search, X } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useMatch } from "react-router";
import { ApiError, api, body } from "@/api/client";
import type { HistoryHit } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { IconButton } from "@/components/Button";
import { formatDate, MOD } from "@/components/format";
import { titleOf } from "../sessions/title";
import { Snippet } from "./snippet";

const DEBOUNCE_MS = 220;

function useDebounced(value: string): string {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return late;
}

/** The search field over the list; while it holds words, their hits stand in the list's place. */
export function HistorySearch({
  inputRef,
  children,
}: {
  inputRef: RefObject<HTMLInputElement | null>;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const [only, setOnly] = useState(false);
  const sessionId = useMatch("/s/:id")?.params.id;
  const query = useDebounced(text.trim());
  const here = only && sessionId ? sessionId : null;
  const hits = useQuery({
    queryKey: ["history", query, here],
    queryFn: async () =>
      (
        await body(
          api.GET("/api/search/history", {
            params: { query: { q: query, limit: 40, ...(here ? { session_id: here } : {}) } },
          }),
        )
      ).items,
    enabled: query !== "",
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const searching = text.trim() !== "";

  return (
    <>
      <search className="block px-3 pb-2">
        <div className="relative">
          <Search
            size={15}
            aria-hidden="true"
            className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-faint"
          />
          <input
            ref={inputRef}
            type="search"
            aria-label={t("search.label")}
            placeholder={t("search.placeholder")}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Escape") return;
              event.stopPropagation();
              if (text) setText("");
              else event.currentTarget.blur();
            }}
            data-testid="history-search"
            className="h-8 w-full rounded-lg border border-line bg-page pr-14 pl-8 text-[0.8125rem] outline-none placeholder:text-faint focus:border-accent focus:ring-2 focus:ring-accent/20"
          />
          {text ? (
            <IconButton
              label={t("search.clear")}
              className="absolute top-0 right-0"
              onClick={() => {
                setText("");
                inputRef.current?.focus();
              }}
            >
              <X size={14} />
            </IconButton>
          ) : (
            <kbd className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 font-sans text-2xs text-faint">
              {MOD} K
            </kbd>
          )}
        </div>
        {searching && sessionId && (
          <label className="mt-2 flex items-center gap-2 px-0.5 text-xs text-soft">
            <input
              type="checkbox"
              className="accent-(--accent)"
              checked={only}
              onChange={(event) => setOnly(event.target.checked)}
              data-testid="history-search-only"
            />
            {t("search.thisSession")}
          </label>
        )}
      </search>
      {searching ? (
        <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
          <p role="status" className="px-2 py-1 text-xs text-faint">
            {hits.isError
              ? t("search.failed", {
                  detail:
                    hits.error instanceof ApiError ? hits.error.message : t("app.unreachable"),
                })
              : hits.data && query
                ? hits.data.length === 0
                  ? t("search.none", { query })
                  : t("search.results", { count: hits.data.length })
                : t("app.loading")}
          </p>
          <ul className="space-y-px">
            {query !== "" &&
              hits.data?.map((hit) => (
                <Hit key={`${hit.session_id}/${hit.message_id}`} hit={hit} />
              ))}
          </ul>
        </div>
      ) : (
        children
      )}
    </>
  );
}

function Hit({ hit }: { hit: HistoryHit }) {
  const { t } = useTranslation();
  const language = useLanguage();
  return (
    <li>
      <Link
        to={`/s/${hit.session_id}${hit.message_id ? `?m=${hit.message_id}` : ""}`}
        data-testid="history-hit"
        className="block rounded-lg px-2 py-1.5 hover:bg-sunken"
      >
        <span className="flex items-baseline gap-2 text-xs text-faint">
          <span className="min-w-0 flex-1 truncate font-medium text-soft">
            {titleOf({ title: hit.session_title }, t)}
          </span>
          <span>{t(`search.role.${hit.role ?? "title"}`)}</span>
          <time dateTime={hit.created_at}>{formatDate(hit.created_at, language)}</time>
        </span>
        <span className="mt-0.5 line-clamp-3 text-[0.8125rem] leading-snug break-words">
          <Snippet text={hit.snippet} highlights={hit.highlights} />
        </span>
      </Link>
    </li>
  );
}
