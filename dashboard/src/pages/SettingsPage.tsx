import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type SendKey, type Theme, useLanguage, usePreferences } from "@/app/preferences";
import { useTitle } from "@/app/title";
import { MOD } from "@/components/format";
import { Segmented } from "@/components/Segmented";
import { healthQuery, type Services, servicesQuery } from "@/features/settings/queries";
import { LANGUAGES, type Language } from "@/i18n";

const THEMES: readonly Theme[] = ["light", "dark", "system"];
const SEND_KEYS: readonly SendKey[] = ["enter", "mod"];

export default function SettingsPage() {
  const { t } = useTranslation();
  useTitle(t("settings.title"));
  const language = useLanguage();
  const { theme, sendKey, set } = usePreferences();
  const health = useQuery(healthQuery);
  const services = useQuery(servicesQuery);
  const languages = Object.keys(LANGUAGES) as Language[];

  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto w-full max-w-[40rem] px-5 pt-14 pb-20">
        <h1 className="font-serif text-[1.75rem] font-[440] tracking-[-0.015em]">
          {t("settings.title")}
        </h1>
        <Section title={t("settings.appearance")}>
          <Row label={t("settings.language")}>
            <Segmented
              legend={t("settings.language")}
              value={language}
              options={languages.map((value) => ({ value, label: LANGUAGES[value] }))}
              onChange={(value) => set({ language: value })}
            />
          </Row>
          <Row label={t("settings.theme")}>
            <Segmented
              legend={t("settings.theme")}
              value={theme}
              options={THEMES.map((value) => ({ value, label: t(`settings.themes.${value}`) }))}
              onChange={(value) => set({ theme: value })}
            />
          </Row>
        </Section>
        <Section title={t("settings.writing")}>
          <Row label={t("settings.sendKey")} note={t("settings.sendKeyNote")}>
            <Segmented
              legend={t("settings.sendKey")}
              value={sendKey}
              options={SEND_KEYS.map((value) => ({
                value,
                label: t(`settings.sendKeys.${value}`, { mod: MOD }),
              }))}
              onChange={(value) => set({ sendKey: value })}
              testId="send-key"
            />
          </Row>
        </Section>
        {services.data && (services.data.llm || services.data.ads) && (
          <Section title={t("settings.services")}>
            <Service name={t("settings.llm")} service={services.data.llm} />
            <Service name={t("settings.ads")} service={services.data.ads} />
          </Section>
        )}
        <Section title={t("settings.shortcuts")}>
          <Row label={t("settings.shortcutSearch")}>
            <Keys keys={[MOD, "K"]} />
          </Row>
          <Row label={t("settings.shortcutNew")}>
            <Keys keys={["Alt", "N"]} />
          </Row>
          <Row label={t("settings.shortcutSidebar")}>
            <Keys keys={[MOD, "B"]} />
          </Row>
          <Row label={t("settings.shortcutStop")}>
            <Keys keys={["Esc"]} />
          </Row>
        </Section>
        <Section title={t("settings.about")}>
          <Row label={t("settings.version")}>
            <span className="tabular-nums">{health.data?.version ?? "–"}</span>
          </Row>
          <p className="pt-3 text-soft">{t("settings.licence")}</p>
          <p className="mt-2 text-soft">{t("settings.notices")}</p>
        </Section>
      </div>
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mt-9">
      <h2 className="border-b border-line-strong pb-1.5 text-[0.8125rem] font-semibold">{title}</h2>
      <div className="divide-y divide-line">{children}</div>
    </section>
  );
}

function Row({ label, note, children }: { label: string; note?: string; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 py-3">
      <div className="min-w-0">
        <p>{label}</p>
        {note && <p className="text-xs text-faint">{note}</p>}
      </div>
      {children}
    </div>
  );
}

function Service({ name, service }: { name: string; service: Services["llm"] }) {
  const { t } = useTranslation();
  if (!service) return null;
  return (
    <Row label={name} {...(service.detail ? { note: service.detail } : {})}>
      <span className={service.configured ? "text-good" : "text-bad"}>
        {t(service.configured ? "settings.configured" : "settings.notConfigured")}
      </span>
    </Row>
  );
}

function Keys({ keys }: { keys: readonly string[] }) {
  return (
    <span className="flex gap-1">
      {keys.map((key) => (
        <kbd
          key={key}
          className="rounded-md border border-line-strong bg-raised px-1.5 font-sans text-xs leading-5 text-soft"
        >
          {key}
        </kbd>
      ))}
    </span>
  );
}
