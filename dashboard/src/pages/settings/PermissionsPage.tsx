import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body, done } from "@/api/client";
import type { Rule, RuleEffect } from "@/api/types";
import { useLanguage } from "@/app/preferences";
import { Button, IconButton } from "@/components/Button";
import { formatDateTime } from "@/components/format";
import { identityQuery } from "@/features/auth/auth";
import { EFFECT_LOOK, EFFECTS } from "@/features/rules/look";
import { rulesQuery } from "@/features/rules/queries";
import { TryIt } from "@/features/rules/TryIt";
import { FIELD, Loaded, Page, Section, useAttempt } from "@/features/settings/Page";

export default function PermissionsPage() {
  const { t } = useTranslation();
  const rules = useQuery(rulesQuery);
  const admin = useQuery(identityQuery).data?.role === "admin";
  return (
    <Page title={t("rules.title")} text={t("rules.text")}>
      <Loaded query={rules}>
        {(list) => (
          <>
            <Section title={t("rules.list")}>
              {list.length === 0 && <p className="py-4 text-soft">{t("rules.empty")}</p>}
              {list.length > 0 && (
                <ul className="divide-y divide-line" data-testid="rules">
                  {list.map((rule) => (
                    <RuleRow key={rule.id} rule={rule} admin={admin} />
                  ))}
                </ul>
              )}
              {admin ? <AddRule /> : <p className="py-3 text-soft">{t("rules.adminAdds")}</p>}
            </Section>
            <TryIt />
            <Help />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function EffectPicker({
  value,
  label,
  onChange,
}: {
  value: RuleEffect;
  label: string;
  onChange: (effect: RuleEffect) => void;
}) {
  const { t } = useTranslation();
  const look = EFFECT_LOOK[value];
  return (
    <span className="relative inline-flex items-center">
      <look.Icon
        size={15}
        aria-hidden="true"
        className={`pointer-events-none absolute left-2 ${look.color}`}
      />
      <select
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value as RuleEffect)}
        className={`h-8 w-28 pl-7! text-[0.8125rem] ${FIELD}`}
      >
        {EFFECTS.map((effect) => (
          <option key={effect} value={effect}>
            {t(`rules.effects.${effect}`)}
          </option>
        ))}
      </select>
    </span>
  );
}

/** Administrators change every rule; what a user's own answers made, they may delete. */
function RuleRow({ rule, admin }: { rule: Rule; admin: boolean }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const language = useLanguage();
  const { busy, failure, attempt } = useAttempt();
  const [draft, setDraft] = useState<string | null>(null);
  const path = { params: { path: { id: rule.id } } };
  const change = (patch: { effect?: RuleEffect; rule?: string }) =>
    attempt(async () => {
      const whole = { effect: rule.effect, rule: rule.rule, ...patch };
      await body(api.PATCH("/api/permissions/{id}", { ...path, body: whole }));
      await client.invalidateQueries(rulesQuery);
    });
  const save = async () => {
    const next = draft?.trim();
    if (!next || next === rule.rule) setDraft(null);
    else if (await change({ rule: next })) setDraft(null);
  };
  const origin = [
    t(`rules.scopes.${rule.scope}`),
    t(`rules.sources.${rule.source}`),
    formatDateTime(rule.created_at, language),
  ];
  const look = EFFECT_LOOK[rule.effect];
  return (
    <li data-testid="rule" data-rule={rule.rule} className="group/rule py-2.5">
      <div className="flex items-center gap-3">
        {admin ? (
          <EffectPicker
            value={rule.effect}
            label={t("rules.effectLabel", { rule: rule.rule })}
            onChange={(effect) => void change({ effect })}
          />
        ) : (
          <span className="flex w-20 flex-none items-center gap-2">
            <look.Icon size={15} aria-hidden="true" className={look.color} />
            {t(`rules.effects.${rule.effect}`)}
          </span>
        )}
        {draft === null ? (
          <div className="min-w-0 flex-1">
            <p className="font-mono text-[0.8125rem] [overflow-wrap:anywhere]">{rule.rule}</p>
            <p className="text-xs text-faint">{origin.join(" · ")}</p>
          </div>
        ) : (
          <form
            className="flex min-w-0 flex-1 gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              void save();
            }}
          >
            <input
              // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was pressed.
              autoFocus
              aria-label={t("rules.rule")}
              value={draft}
              spellCheck={false}
              onChange={(event) => setDraft(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape") setDraft(null);
              }}
              className={`h-8 min-w-0 flex-1 font-mono text-[0.8125rem] ${FIELD}`}
            />
            <Button type="submit" look="primary" disabled={busy}>
              {t("app.save")}
            </Button>
          </form>
        )}
        {draft === null && (
          <span className="flex">
            {admin && (
              <IconButton
                label={t("rules.editLabel", { rule: rule.rule })}
                onClick={() => setDraft(rule.rule)}
              >
                <Pencil size={14} />
              </IconButton>
            )}
            {(admin || rule.scope !== "everyone") && (
              <IconButton
                label={t("rules.deleteLabel", { rule: rule.rule })}
                disabled={busy}
                data-testid="rule-delete"
                onClick={() =>
                  void attempt(async () => {
                    await done(api.DELETE("/api/permissions/{id}", path));
                    await client.invalidateQueries(rulesQuery);
                  })
                }
              >
                <Trash2 size={14} />
              </IconButton>
            )}
          </span>
        )}
      </div>
      {failure && (
        <p role="alert" className="mt-1 text-bad">
          {failure}
        </p>
      )}
    </li>
  );
}

function AddRule() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { busy, failure, attempt } = useAttempt();
  const [effect, setEffect] = useState<RuleEffect>("allow");
  const [text, setText] = useState("");
  const add = async () => {
    const rule = text.trim();
    const worked = await attempt(async () => {
      await body(api.POST("/api/permissions", { body: { effect, rule } }));
      await client.invalidateQueries(rulesQuery);
    });
    if (worked) setText("");
  };
  return (
    <form
      className="py-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim()) void add();
      }}
    >
      <div className="flex flex-wrap items-center gap-3">
        <EffectPicker value={effect} label={t("rules.effect")} onChange={setEffect} />
        <input
          aria-label={t("rules.rule")}
          placeholder={t("rules.placeholder")}
          value={text}
          spellCheck={false}
          aria-invalid={failure !== null}
          onChange={(event) => setText(event.target.value)}
          data-testid="rule-text"
          className={`h-8 min-w-40 flex-1 font-mono text-[0.8125rem] ${FIELD}`}
        />
        <Button type="submit" look="primary" disabled={busy || !text.trim()} data-testid="rule-add">
          {t("rules.add")}
        </Button>
      </div>
      {failure && (
        <p role="alert" className="mt-2 text-bad">
          {failure}
        </p>
      )}
    </form>
  );
}

function Help() {
  const { t } = useTranslation();
  const rows: [string, ReactNode][] = [
    ["run_bash", t("rules.helpTool")],
    ["run_bash(git log:*)", t("rules.helpPrefix")],
    ["file_write(notes/**)", t("rules.helpPath")],
    ["*", t("rules.helpAll")],
  ];
  return (
    <Section title={t("rules.help")}>
      <dl className="grid gap-x-6 gap-y-2 py-3 sm:grid-cols-[13rem_minmax(0,1fr)]">
        {rows.map(([rule, text]) => (
          <div key={rule} className="contents">
            <dt className="font-mono text-[0.8125rem]">{rule}</dt>
            <dd className="text-soft max-sm:mb-2">{text}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
