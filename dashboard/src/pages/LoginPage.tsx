import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Navigate, useSearchParams } from "react-router";
import { ApiError } from "@/api/client";
import { useTitle } from "@/app/title";
import { Button } from "@/components/Button";
import { AuthPage } from "@/features/auth/AuthPage";
import { identityQuery, login } from "@/features/auth/auth";
import { Field } from "@/features/auth/Field";

/** Where to go after the login: a path of this application, nothing else. */
export function safeNext(next: string | null): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}

export default function LoginPage() {
  const { t } = useTranslation();
  useTitle(t("auth.title"));
  const client = useQueryClient();
  const identity = useQuery(identityQuery);
  const [params] = useSearchParams();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [wait, setWait] = useState(0);
  const [missing, setMissing] = useState({ username: false, password: false });
  const nameRef = useRef<HTMLInputElement>(null);
  const passwordRef = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (wait <= 0) return;
    const timer = setTimeout(() => setWait(wait - 1), 1000);
    return () => clearTimeout(timer);
  }, [wait]);

  if (identity.data) return <Navigate to={safeNext(params.get("next"))} replace />;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const empty = { username: !username.trim(), password: !password };
    setMissing(empty);
    setFailure(null);
    if (empty.username) return nameRef.current?.focus();
    if (empty.password) return passwordRef.current?.focus();
    setWorking(true);
    try {
      await login(client, username.trim(), password);
    } catch (error) {
      setFailure(error);
      if (error instanceof ApiError && error.status === 429) setWait(error.retryAfter ?? 30);
      passwordRef.current?.focus();
      passwordRef.current?.select();
    } finally {
      setWorking(false);
    }
  };

  const wrong = failure instanceof ApiError && failure.status === 401;
  const throttled = failure instanceof ApiError && failure.status === 429;
  return (
    <AuthPage title={t("auth.title")}>
      <form noValidate className="space-y-4" onSubmit={(event) => void submit(event)}>
        {params.has("ended") && !failure && (
          <p role="status" className="rounded-lg bg-gold-soft px-3 py-2 text-[0.8125rem] text-ink">
            {t("auth.ended")}
          </p>
        )}
        <Field
          ref={nameRef}
          label={t("auth.username")}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          error={missing.username ? t("auth.required") : undefined}
          testId="login-username"
        />
        <Field
          ref={passwordRef}
          label={t("auth.password")}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={missing.password ? t("auth.required") : wrong ? t("auth.invalid") : undefined}
          testId="login-password"
        />
        <div aria-live="assertive" className="empty:hidden">
          {throttled && wait > 0 && (
            <p className="text-[0.8125rem] text-bad">{t("auth.throttled", { count: wait })}</p>
          )}
          {failure !== null && !wrong && !throttled && (
            <p className="text-[0.8125rem] text-bad">
              {failure instanceof ApiError
                ? t("auth.failed", { detail: failure.message })
                : t("app.unreachable")}
            </p>
          )}
        </div>
        <Button
          type="submit"
          look="primary"
          className="mt-1 h-10! w-full text-[0.9375rem]!"
          disabled={working || (throttled && wait > 0)}
          data-testid="login-submit"
        >
          {working ? t("auth.working") : t("auth.submit")}
        </Button>
      </form>
    </AuthPage>
  );
}
