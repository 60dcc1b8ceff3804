import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import { useTitle } from "@/app/title";
import { Button } from "@/components/Button";
import { AuthPage } from "@/features/auth/AuthPage";
import { login, setUp } from "@/features/auth/auth";
import { Field } from "@/features/auth/Field";

/** The first account. The token stands behind `#`, so that it reaches no log. */
export default function SetupPage() {
  const { t } = useTranslation();
  useTitle(t("auth.setupTitle"));
  const client = useQueryClient();
  const navigate = useNavigate();
  const [token] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [repeat, setRepeat] = useState("");
  const [checked, setChecked] = useState(false);
  const [working, setWorking] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  // The token is not left in the history of the browser.
  useEffect(() => {
    if (location.hash) history.replaceState(history.state, "", location.pathname);
  }, []);

  if (!token) {
    return (
      <AuthPage title={t("auth.setupTitle")}>
        <p className="text-soft">{t("auth.setupNoToken")}</p>
      </AuthPage>
    );
  }

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setChecked(true);
    setFailure(null);
    if (!username.trim() || !password || password !== repeat) return;
    setWorking(true);
    try {
      await setUp(token, username.trim(), password);
      await login(client, username.trim(), password);
      await navigate("/", { replace: true });
    } catch (error) {
      setFailure(error);
    } finally {
      setWorking(false);
    }
  };

  const problem = failure instanceof ApiError ? failure : null;
  const required = (value: string) => (checked && !value.trim() ? t("auth.required") : undefined);
  const fieldError = problem?.field("username") ?? problem?.field("password");
  return (
    <AuthPage title={t("auth.setupTitle")}>
      <form noValidate className="space-y-4" onSubmit={(event) => void submit(event)}>
        <p className="text-soft">{t("auth.setupText")}</p>
        <Field
          label={t("auth.username")}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          value={username}
          onChange={(event) => setUsername(event.target.value)}
          error={required(username) ?? problem?.field("username")}
          testId="setup-username"
        />
        <Field
          label={t("auth.password")}
          name="password"
          type="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          error={required(password) ?? problem?.field("password")}
          testId="setup-password"
        />
        <Field
          label={t("auth.setupRepeat")}
          name="repeat"
          type="password"
          autoComplete="new-password"
          required
          value={repeat}
          onChange={(event) => setRepeat(event.target.value)}
          error={checked && password !== repeat ? t("auth.setupMismatch") : undefined}
          testId="setup-repeat"
        />
        <div aria-live="assertive" className="empty:hidden">
          {failure !== null && !fieldError && (
            <p className="text-[0.8125rem] text-bad">
              {problem ? t("auth.setupFailed", { detail: problem.message }) : t("app.unreachable")}
            </p>
          )}
        </div>
        <Button
          type="submit"
          look="primary"
          className="h-10! w-full text-[0.9375rem]!"
          disabled={working}
          data-testid="setup-submit"
        >
          {working ? t("auth.working") : t("auth.setupSubmit")}
        </Button>
      </form>
    </AuthPage>
  );
}
