import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import type { PermissionMode, Verdict } from "@/api/types";
import { Button } from "@/components/Button";
import { FIELD, Section, useAttempt } from "@/features/settings/Page";
import { EFFECT_LOOK } from "./look";

const MODES: readonly PermissionMode[] = ["auto", "ask", "plan", "full"];

const EXAMPLE = { tool: "file_write", text: '{"path": "notes/plan.md"}' };

/** What the rules would say to a call, without making it. */
export function TryIt() {
  const { t } = useTranslation();
  const [tool, setTool] = useState(EXAMPLE.tool);
  const [text, setText] = useState(EXAMPLE.text);
  const [mode, setMode] = useState<PermissionMode>("auto");
  const [invalid, setInvalid] = useState<string | null>(null);
  const [verdict, setVerdict] = useState<Verdict | null>(null);
  const { busy, failure, attempt } = useAttempt();

  const check = () => {
    let args: unknown;
    try {
      args = JSON.parse(text || "{}");
      setInvalid(null);
    } catch (error) {
      setVerdict(null);
      setInvalid(error instanceof Error ? error.message : String(error));
      return;
    }
    void attempt(async () => {
      setVerdict(
        await body(
          api.POST("/api/permissions/check", {
            body: { tool: tool.trim(), arguments: args, permission_mode: mode },
          }),
        ),
      );
    });
  };

  return (
    <Section title={t("rules.tryTitle")}>
      <form
        className="space-y-3 py-3"
        onSubmit={(event) => {
          event.preventDefault();
          check();
        }}
      >
        <p className="text-soft">{t("rules.tryText")}</p>
        <div className="grid gap-3 sm:grid-cols-[11rem_minmax(0,1fr)_9rem]">
          <label className="text-xs text-soft">
            {t("rules.tryTool")}
            <input
              value={tool}
              onChange={(event) => setTool(event.target.value)}
              spellCheck={false}
              data-testid="try-tool"
              className={`mt-1 h-9 w-full font-mono text-[0.8125rem] text-ink ${FIELD}`}
            />
          </label>
          <label className="text-xs text-soft">
            {t("rules.tryArguments")}
            <textarea
              rows={1}
              value={text}
              onChange={(event) => setText(event.target.value)}
              spellCheck={false}
              aria-invalid={invalid !== null}
              data-testid="try-arguments"
              className={`mt-1 block field-sizing-content max-h-48 min-h-9 w-full resize-none py-1.5 font-mono text-[0.8125rem] text-ink ${FIELD}`}
            />
          </label>
          <label className="text-xs text-soft">
            {t("rules.tryMode")}
            <select
              value={mode}
              onChange={(event) => setMode(event.target.value as PermissionMode)}
              className={`mt-1 h-9 w-full text-[0.8125rem] text-ink ${FIELD}`}
            >
              {MODES.map((each) => (
                <option key={each} value={each}>
                  {t(`settings.permissionModes.${each}`)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <Button type="submit" disabled={busy || !tool.trim()} data-testid="try-run">
          {t("rules.tryRun")}
        </Button>
        <div aria-live="polite">
          {(invalid || failure) && (
            <p className="text-bad">
              {invalid ? t("rules.badJson", { detail: invalid }) : failure}
            </p>
          )}
          {verdict && !invalid && !failure && <Result verdict={verdict} />}
        </div>
      </form>
    </Section>
  );
}

function Result({ verdict }: { verdict: Verdict }) {
  const { t } = useTranslation();
  const look = EFFECT_LOOK[verdict.verdict];
  const { rule } = verdict;
  return (
    <div
      data-testid="try-result"
      data-verdict={verdict.verdict}
      className="flex gap-3 rounded-xl border border-line bg-panel px-4 py-3"
    >
      <look.Icon size={17} aria-hidden="true" className={`mt-px flex-none ${look.color}`} />
      <div className="min-w-0">
        <p className="font-semibold">{t(`rules.verdicts.${verdict.verdict}`)}</p>
        {verdict.reason && <p className="break-words text-soft">{verdict.reason}</p>}
        {rule && (
          <p className="mt-1 text-xs text-soft">
            {t("rules.decidedBy")}{" "}
            <code className="font-mono text-ink [overflow-wrap:anywhere]">{rule}</code>
          </p>
        )}
      </div>
    </div>
  );
}
