import { queryOptions, useQuery } from "@tanstack/react-query";
import { RefreshCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { Button } from "@/components/Button";
import { formatCount } from "@/components/format";
import { type Metric, type MetricGroup, readable, toGroups } from "@/features/metrics/shape";
import { Loaded, Notice, Page } from "@/features/settings/Page";

const metricsQuery = queryOptions({
  queryKey: ["metrics"],
  queryFn: () => body(api.GET("/api/metrics")),
  refetchInterval: 30_000,
});

export default function MetricsPage() {
  const { t } = useTranslation();
  const metrics = useQuery(metricsQuery);
  return (
    <Page
      title={t("metrics.title")}
      text={t("metrics.text")}
      wide="max-w-[60rem]"
      actions={
        <Button disabled={metrics.isFetching} onClick={() => void metrics.refetch()}>
          <RefreshCw size={14} aria-hidden="true" />
          {t("metrics.refresh")}
        </Button>
      }
    >
      <Loaded query={metrics}>
        {(answer) => {
          const groups = toGroups(answer);
          const [loose, rest] = [
            groups.find((group) => group.name === ""),
            groups.filter((group) => group.name !== ""),
          ];
          if (groups.length === 0) return <Notice>{t("metrics.empty")}</Notice>;
          return (
            <>
              {loose && <Figures metrics={loose.metrics} />}
              <div className="mt-8 gap-x-5 md:columns-2">
                {rest.map((group) => (
                  <Group key={group.name} group={group} />
                ))}
              </div>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

/** Single figures, side by side. */
function Figures({ metrics }: { metrics: readonly Metric[] }) {
  return (
    <dl className="mt-8 grid grid-cols-2 gap-px overflow-hidden rounded-xl border border-line bg-line sm:grid-cols-4">
      {metrics.map((metric) => (
        <div key={metric.name} className="flex flex-col-reverse justify-end bg-page px-4 py-3">
          <dt className="text-xs text-soft first-letter:uppercase">{readable(metric.name)}</dt>
          <dd
            className="font-serif text-2xl leading-tight font-[440] tabular-nums"
            title={String(metric.value)}
          >
            {formatCount(round(metric.value))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Group({ group }: { group: MetricGroup }) {
  const metrics = [...group.metrics].sort((a, b) => b.value - a.value);
  const most = Math.max(...metrics.map((metric) => metric.value), 0);
  return (
    <section
      aria-label={readable(group.name)}
      className="mb-5 break-inside-avoid rounded-xl border border-line px-4 pt-3 pb-4"
    >
      <h2 className="text-[0.8125rem] font-semibold first-letter:uppercase">
        {readable(group.name)}
      </h2>
      <dl className="mt-2 space-y-2">
        {metrics.map((metric) => (
          <div key={metric.name}>
            <div className="flex items-baseline justify-between gap-4 text-[0.8125rem]">
              <dt className="min-w-0 truncate text-soft" title={metric.name}>
                {readable(metric.name)}
              </dt>
              <dd className="flex-none tabular-nums" title={String(metric.value)}>
                {formatCount(round(metric.value))}
                {metric.notes.length > 0 && (
                  <span className="ml-2 text-xs text-faint">
                    {metric.notes
                      .map(([name, value]) => `${readable(name)} ${formatCount(round(value))}`)
                      .join(", ")}
                  </span>
                )}
              </dd>
            </div>
            <div className="mt-1 h-1 rounded-full bg-sunken" aria-hidden="true">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${most > 0 ? (metric.value / most) * 100 : 0}%` }}
              />
            </div>
          </div>
        ))}
      </dl>
    </section>
  );
}

function round(value: number): number {
  return Math.abs(value) < 100 ? Math.round(value * 100) / 100 : Math.round(value);
}
