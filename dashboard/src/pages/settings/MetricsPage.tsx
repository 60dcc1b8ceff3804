import { queryOptions, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useLanguage } from "@/app/preferences";
import { Button } from "@/components/Button";
import { formatCount, formatDateTime, formatDuration } from "@/components/format";
import {
  countGroups,
  type Metric,
  type MetricGroup,
  readable,
  timeGroups,
  totals,
} from "@/features/metrics/shape";
import { Loaded, Notice, Page } from "@/features/settings/Page";

const metricsQuery = queryOptions({
  queryKey: ["metrics"],
  queryFn: () => body(api.GET("/api/metrics")),
  refetchInterval: 30_000,
});

export default function MetricsPage() {
  const { t } = useTranslation();
  const language = useLanguage();
  const metrics = useQuery(metricsQuery);
  const since = metrics.data?.since;
  return (
    <Page
      title={t("metrics.title")}
      {...(since ? { text: t("metrics.text", { time: formatDateTime(since, language) }) } : {})}
      wide="max-w-[60rem]"
      actions={
        <Button disabled={metrics.isFetching} onClick={() => void metrics.refetch()}>
          <RefreshCw size={14} aria-hidden="true" />
          {t("metrics.refresh")}
        </Button>
      }
    >
      <Loaded query={metrics}>
        {(data) => {
          // What never happened is no news.
          const counted = data.counters.filter((counter) => counter.value > 0);
          const counts = countGroups(counted);
          const times = timeGroups(data.histograms);
          if (counts.length + times.length === 0) return <Notice>{t("metrics.empty")}</Notice>;
          return (
            <>
              <Figures metrics={totals(counted)} />
              <Groups title={t("metrics.counts")} groups={counts} format={formatCount} />
              <Groups title={t("metrics.times")} groups={times} format={formatDuration} />
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Groups({
  title,
  groups,
  format,
}: {
  title: string;
  groups: readonly MetricGroup[];
  format: (value: number) => string;
}) {
  // A family without labels is one figure, and stands above already.
  const shown = groups.filter((group) => group.metrics.some((metric) => metric.name !== ""));
  if (shown.length === 0) return null;
  return (
    <section aria-label={title} className="mt-9">
      <h2 className="mb-3 text-[0.8125rem] font-semibold">{title}</h2>
      <div className="gap-x-5 md:columns-2">
        {shown.map((group) => (
          <Group key={group.name} group={group} format={format} />
        ))}
      </div>
    </section>
  );
}

/** Single figures, side by side. */
function Figures({ metrics }: { metrics: readonly Metric[] }) {
  return (
    <dl className="mt-8 flex flex-wrap gap-px overflow-hidden rounded-xl border border-line bg-line">
      {metrics.map((metric) => (
        <div
          key={metric.name}
          className="flex flex-1 basis-36 flex-col-reverse justify-end bg-page px-4 py-3"
        >
          <dt className="text-xs text-soft first-letter:uppercase">{readable(metric.name)}</dt>
          <dd
            className="font-serif text-2xl leading-tight font-[440] tabular-nums"
            title={String(metric.value)}
          >
            {formatCount(metric.value)}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Group({ group, format }: { group: MetricGroup; format: (value: number) => string }) {
  const most = Math.max(...group.metrics.map((metric) => metric.value), 0);
  return (
    <section
      aria-label={readable(group.name)}
      className="mb-5 break-inside-avoid rounded-xl border border-line px-4 pt-3 pb-4"
    >
      <h3 className="text-xs font-medium text-faint first-letter:uppercase">
        {readable(group.name)}
      </h3>
      <ul className="mt-2 space-y-2">
        {group.metrics.map((metric) => (
          <li key={metric.name}>
            <div className="flex items-baseline justify-between gap-4 text-[0.8125rem]">
              <span className="min-w-0 truncate" title={metric.name}>
                {metric.name}
              </span>
              <span className="flex flex-none items-baseline gap-2 tabular-nums">
                {metric.notes.length > 0 && (
                  <span className="text-xs text-faint">
                    {metric.notes.map(([name, value]) => `${name} ${value}`).join(", ")}
                  </span>
                )}
                {format(metric.value)}
              </span>
            </div>
            <div className="mt-1 h-1 rounded-full bg-sunken" aria-hidden="true">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${most > 0 ? (metric.value / most) * 100 : 0}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
