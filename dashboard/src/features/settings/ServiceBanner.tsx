import { useQuery } from "@tanstack/react-query";
import { TriangleAlert, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { usePreferences } from "@/app/preferences";
import { IconButton } from "@/components/Button";
import { healthQuery, sandboxLevel, servicesQuery } from "./queries";

/** Says which variables to set while something that the agent needs is missing. */
export function ServiceBanner({ inset }: { inset: boolean }) {
  const { t } = useTranslation();
  const services = useQuery(servicesQuery);
  const dismissed = usePreferences((state) => state.dismissedAds);
  const dismissedSandbox = usePreferences((state) => state.dismissedSandbox);
  const sandbox = sandboxLevel(useQuery(healthQuery).data);
  const set = usePreferences((state) => state.set);
  const llm = services.data?.llm;
  const ads = services.data?.ads;
  if (llm && !llm.configured) {
    return (
      <Banner
        inset={inset}
        title={t("banner.llmTitle")}
        text={t("banner.llmText", { variables: "LLM_BASE_URL, LLM_MODEL (LLM_API_KEY)" })}
      />
    );
  }
  if (ads && !ads.configured && !dismissed) {
    return (
      <Banner
        inset={inset}
        title={t("banner.adsTitle")}
        text={t("banner.adsText", { variables: "ADS_API_TOKEN" })}
        onDismiss={() => set({ dismissedAds: true })}
      />
    );
  }
  if (sandbox === "none" && !dismissedSandbox) {
    return (
      <Banner
        inset={inset}
        title={t("sandbox.bannerTitle")}
        text={t("sandbox.bannerText")}
        onDismiss={() => set({ dismissedSandbox: true })}
      />
    );
  }
  return null;
}

function Banner({
  title,
  text,
  inset,
  onDismiss,
}: {
  title: string;
  text: string;
  inset: boolean;
  onDismiss?: () => void;
}) {
  const { t } = useTranslation();
  return (
    <section
      aria-label={title}
      data-testid="service-banner"
      className={`flex items-start gap-2.5 border-b border-line bg-gold-soft py-2 pr-3 text-[0.8125rem] text-ink ${inset ? "pl-12" : "pl-4"}`}
    >
      <TriangleAlert size={15} className="mt-0.5 flex-none text-gold" aria-hidden="true" />
      <p className="min-w-0 flex-1">
        <strong className="font-semibold">{title}</strong> {text}
      </p>
      {onDismiss && (
        <IconButton label={t("banner.dismiss")} className="-my-1.5" onClick={onDismiss}>
          <X size={15} />
        </IconButton>
      )}
    </section>
  );
}
