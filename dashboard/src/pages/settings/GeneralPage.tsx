import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { type SendKey, type Theme, useLanguage, usePreferences } from "@/app/preferences";
import { MOD } from "@/components/format";
import { Segmented } from "@/components/Segmented";
import { Page, Row, Section } from "@/features/settings/Page";
import {
  healthQuery,
  type Services,
  sandboxLevel,
  servicesQuery,
} from "@/features/settings/queries";
import { LANGUAGES, type Language } from "@/i18n";

const THEMES: readonly Theme[] = ["light", "dark", "system"];
const SEND_KEYS: readonly SendKey[] = ["enter", "mod"];

export default function GeneralPage() {
  const { t } = useTranslation();
  const language = useLanguage();
  const { theme, sendKey, set } = usePreferences();
  const health = useQuery(healthQuery);
  const services = useQuery(servicesQuery);
  const sandbox = sandboxLevel(health.data);
  const languages = Object.keys(LANGUAGES) as Language[];

  return (
    <Page title={t("settings.title")} wide="max-w-[40rem]">
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
      {sandbox && (
        <Section title={t("sandbox.title")}>
          <Row label={t(`sandbox.levels.${sandbox}`)} note={t(`sandbox.texts.${sandbox}`)}>
            <span
              aria-hidden="true"
              className={`size-2 rounded-full ${{ full: "bg-good", files: "bg-gold", none: "bg-bad" }[sandbox]}`}
            />
          </Row>
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
        <Row label={t("settings.shortcutQuestion")}>
          <Keys keys={["Alt", "Q"]} />
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
    </Page>
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
