import { useEffect, useState } from "react";

/** Whole seconds until then, never less than none. */
export function secondsLeft(expiresAt: string, now: number): number {
  const end = Date.parse(expiresAt);
  return Number.isNaN(end) ? 0 : Math.max(0, Math.ceil((end - now) / 1000));
}

/** 4:05, as a clock that runs down shows it. */
export function formatLeft(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** When the time that is left is said aloud, in seconds: seldom, since each interrupts. */
const SPOKEN = [60, 20] as const;

/** The mark that has been reached last; null while there is plenty of time. */
export function spokenMark(seconds: number): number | null {
  return SPOKEN.findLast((mark) => seconds <= mark) ?? null;
}

export function useSecondsLeft(expiresAt: string): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return secondsLeft(expiresAt, now);
}
