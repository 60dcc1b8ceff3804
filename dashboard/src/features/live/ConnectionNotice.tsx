import { CloudOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useConnection } from "./live";

/** Says nothing while all is well, and waits a moment before it says that it is not. */
export function ConnectionNotice() {
  const { t } = useTranslation();
  const state = useConnection();
  const [patient, setPatient] = useState(true);
  useEffect(() => {
    setPatient(true);
    if (state === "open") return;
    const timer = setTimeout(() => setPatient(false), state === "offline" ? 0 : 2500);
    return () => clearTimeout(timer);
  }, [state]);
  const silent = state === "open" || patient;
  return (
    <div
      role="status"
      data-testid="connection-state"
      data-state={state}
      className={
        silent
          ? "sr-only"
          : "flex items-center justify-center gap-2 border-b border-line bg-gold-soft px-4 py-1.5 text-[0.8125rem] text-ink"
      }
    >
      {!silent && <CloudOff size={14} aria-hidden="true" />}
      {silent ? "" : t(`connection.${state}`)}
    </div>
  );
}
