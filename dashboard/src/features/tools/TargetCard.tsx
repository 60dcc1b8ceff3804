import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatDec, formatRa, hammer, toGalactic } from "./coordinates";
import type { TargetView } from "./shapes";

/** What the resolvers know of an object, with its place on the sky. */
export function TargetCard({ target }: { target: TargetView }) {
  const { t } = useTranslation();
  const { ra, dec } = target;
  const problem =
    target.status === "not_found"
      ? t("tool.notFoundTarget")
      : target.status === "ambiguous"
        ? t("tool.ambiguousTarget")
        : target.status === "unavailable"
          ? t("tool.unavailableTarget")
          : null;
  const galactic =
    target.l !== null && target.b !== null
      ? { l: target.l, b: target.b }
      : ra !== null && dec !== null
        ? toGalactic(ra, dec)
        : null;
  const rows: [string, ReactNode][] = [];
  if (ra !== null && dec !== null) {
    rows.push([
      t("tool.position"),
      <>
        {formatRa(ra)} {formatDec(dec)}
        <span className="block text-xs text-faint">
          {ra.toFixed(5)}°, {dec.toFixed(5)}°
        </span>
      </>,
    ]);
  }
  if (galactic) {
    rows.push([t("tool.galactic"), `${galactic.l.toFixed(3)}°, ${galactic.b.toFixed(3)}°`]);
  }
  if (target.type) rows.push([t("tool.objectType"), target.type]);
  if (target.spectralType) rows.push([t("tool.spectralType"), target.spectralType]);
  if (target.z !== null) rows.push([t("tool.redshift"), `z = ${target.z}`]);
  if (target.velocity !== null) rows.push([t("tool.velocity"), `${target.velocity} km/s`]);
  if (target.parallax !== null) rows.push([t("tool.parallax"), `${target.parallax} mas`]);
  if (target.properMotion) rows.push([t("tool.properMotion"), `${target.properMotion} mas/yr`]);
  if (target.candidates.length > 0)
    rows.push([t("tool.candidates"), target.candidates.join(" · ")]);
  if (target.aliases.length > 0) {
    rows.push([t("tool.aliases"), target.aliases.slice(0, 12).join(" · ")]);
  }
  if (target.resolver) rows.push([t("tool.resolver"), target.resolver]);

  return (
    <div className="rounded-lg border border-line bg-raised px-3.5 py-3" data-testid="target-card">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0 flex-1 basis-64">
          <p className="font-serif text-[1.0625rem] text-ink">{target.canonical || target.name}</p>
          {problem && <p className="mt-1 text-soft">{problem}</p>}
          {target.detail && <p className="mt-1 break-words text-soft">{target.detail}</p>}
          <dl className="mt-2 grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 tabular-nums">
            {rows.map(([label, value]) => (
              <div key={label} className="contents">
                <dt className="text-xs leading-5 text-faint">{label}</dt>
                <dd className="min-w-0 break-words">{value}</dd>
              </div>
            ))}
          </dl>
        </div>
        {galactic && <SkyMap l={galactic.l} b={galactic.b} label={t("tool.skyMap")} />}
      </div>
    </div>
  );
}

const W = 190;
const H = 95;
const LONGITUDES = [-120, -60, 0, 60, 120];
const LATITUDES = [-60, -30, 0, 30, 60];

function point(l: number, b: number): string {
  const { x, y } = hammer(l, b);
  return `${(W / 2 + (x * W) / 2).toFixed(1)},${(H / 2 - y * H).toFixed(1)}`;
}

function path(points: [number, number][]): string {
  return `M${points.map(([l, b]) => point(l, b)).join("L")}`;
}

const steps = (from: number, to: number, by: number) =>
  Array.from({ length: Math.round((to - from) / by) + 1 }, (_, i) => from + i * by);

const GRID = [
  ...LONGITUDES.map((l) => path(steps(-90, 90, 6).map((b) => [l, b]))),
  ...LATITUDES.filter((b) => b !== 0).map((b) => path(steps(-180, 180, 8).map((l) => [l, b]))),
].join("");
const PLANE = path(steps(-180, 180, 8).map((l) => [l, 0]));

/** The whole sky in Galactic coordinates with the object's place on it. */
function SkyMap({ l, b, label }: { l: number; b: number; label: string }) {
  const [x, y] = point(l > 180 ? l - 360 : l, b).split(",");
  return (
    <svg
      width={W}
      height={H + 4}
      viewBox={`-1 -2 ${W + 2} ${H + 4}`}
      role="img"
      aria-label={label}
      className="flex-none"
    >
      <ellipse
        cx={W / 2}
        cy={H / 2}
        rx={W / 2}
        ry={H / 2}
        fill="var(--sunken)"
        stroke="var(--line-strong)"
      />
      <path
        d={PLANE}
        fill="none"
        stroke="var(--faint)"
        strokeOpacity="0.18"
        strokeWidth="7"
        strokeLinecap="round"
      />
      <path d={GRID} fill="none" stroke="var(--line-strong)" strokeWidth="0.5" />
      <path d={PLANE} fill="none" stroke="var(--faint)" strokeWidth="0.7" />
      <circle cx={x} cy={y} r="6" fill="none" stroke="var(--accent)" strokeWidth="1" />
      <circle cx={x} cy={y} r="2.2" fill="var(--accent)" />
    </svg>
  );
}
