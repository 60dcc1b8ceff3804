import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import { useTitle } from "@/app/title";
import { Button } from "@/components/Button";

/** One page of the settings: its name, what it is for, and the rest. */
export function Page({
  title,
  text,
  actions,
  wide = "max-w-[44rem]",
  children,
}: {
  title: string;
  text?: string;
  actions?: ReactNode;
  wide?: string;
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className={`mx-auto w-full px-5 pt-8 pb-20 lg:pt-12 ${wide}`}>
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <h1 className="font-serif text-[1.75rem] leading-tight font-[440] tracking-[-0.015em]">
          {title}
        </h1>
        {actions}
      </header>
      {text && <p className="mt-2 max-w-[38rem] text-soft">{text}</p>}
      {children}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-9">
      <h2 className="border-b border-line-strong pb-1.5 text-[0.8125rem] font-semibold">{title}</h2>
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

export function Row({
  label,
  note,
  children,
}: {
  label: string;
  note?: string;
  children: ReactNode;
}) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0">
        <p>{label}</p>
        {note && <p className="max-w-[30rem] text-xs text-faint">{note}</p>}
      </div>
      {children}
    </div>
  );
}

/** What a query brought, or why it did not. */
export function Loaded<T>({
  query,
  children,
}: {
  query: UseQueryResult<T>;
  children: (data: T) => ReactNode;
}) {
  const { t } = useTranslation();
  if (query.data !== undefined) return children(query.data);
  if (query.isPending) {
    return (
      <p role="status" className="mt-10 flex items-center gap-2 text-faint">
        <span className="orbit" aria-hidden="true" />
        {t("app.loading")}
      </p>
    );
  }
  const { error } = query;
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 403) return <Notice>{t("pages.adminOnly")}</Notice>;
  if (status === 404) return <Notice>{t("pages.absent")}</Notice>;
  return (
    <div role="alert" className="mt-10 space-y-3">
      <p>
        {t("pages.loadFailed", { detail: status ? (error?.message ?? "") : t("app.unreachable") })}
      </p>
      <Button onClick={() => void query.refetch()}>{t("app.retry")}</Button>
    </div>
  );
}

export function Notice({ children }: { children: ReactNode }) {
  return (
    <p className="mt-8 rounded-xl border border-line bg-panel px-4 py-3 text-soft">{children}</p>
  );
}

export const FIELD =
  "rounded-md border border-line-strong bg-raised px-2.5 outline-none placeholder:text-faint focus:border-accent aria-invalid:border-bad";

/** Runs what the user asked for and keeps what went wrong, in words. */
export function useAttempt(): {
  busy: boolean;
  failure: string | null;
  error: ApiError | null;
  attempt: (work: () => Promise<unknown>) => Promise<boolean>;
} {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const attempt = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setFailure(null);
    setError(null);
    try {
      await work();
      return true;
    } catch (cause) {
      const refused = cause instanceof ApiError ? cause : null;
      const first = refused?.problem?.errors?.[0]?.detail;
      const detail = first ?? refused?.message ?? t("app.unreachable");
      setError(refused);
      setFailure(refused?.status === 403 ? t("pages.adminEdits") : t("pages.failed", { detail }));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, failure, error, attempt };
}

/** A value that settles once it has not changed for a moment. */
export function useSettled<T>(value: T, ms = 200): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
