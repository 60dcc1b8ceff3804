/** A duration for people: 0.4 s, 12 s, 3 min 05 s. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 0.05) return "<0.1 s";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

/** 950, 12.3k, 1.2M: enough for a gauge. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 1_000_000) return `${trim(value / 1000)}k`;
  return `${trim(value / 1_000_000)}M`;
}

function trim(value: number): string {
  return value < 100 ? value.toFixed(1).replace(/\.0$/, "") : value.toFixed(0);
}

export function formatTime(iso: string, language: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleTimeString(language, {
    hour: "2-digit",
    minute: "2-digit",
    // Observatories count to 24.
    hourCycle: "h23",
  });
}

/** A date as near as it needs to be: the time today, the day this year, else the whole date. */
export function formatDate(iso: string, language: string, now = new Date()): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  if (date.toDateString() === now.toDateString()) return formatTime(iso, language);
  return date.toLocaleDateString(language, {
    month: "short",
    day: "numeric",
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: "numeric" }),
  });
}

export function formatDateTime(iso: string, language: string): string {
  const date = new Date(iso);
  return Number.isNaN(date.getTime())
    ? ""
    : date.toLocaleString(language, { dateStyle: "medium", timeStyle: "short", hourCycle: "h23" });
}

/** Day and time without the year, for a column. */
export function formatStamp(iso: string, language: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return "";
  return date.toLocaleString(language, {
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
}

export const IS_MAC = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
/** The modifier as the user's keyboard names it. */
export const MOD = IS_MAC ? "⌘" : "Ctrl";
