import type { ReactNode } from "react";
import { Logo } from "@/components/Logo";
import { LanguageToggle, ThemeToggle } from "@/features/settings/Toggles";

/** The frame of the pages that need no login. */
export function AuthPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="relative flex h-full flex-col overflow-y-auto bg-page">
      <Epicycles />
      <div className="relative flex justify-end gap-1 p-3">
        <LanguageToggle />
        <ThemeToggle />
      </div>
      <main className="relative m-auto w-full max-w-[22.5rem] px-5 pb-24">
        <div className="mb-7 flex flex-col items-center gap-3 text-ink">
          <Logo size={44} />
          <p className="font-serif text-[1.75rem] leading-none font-[540] tracking-[-0.015em]">
            Almagest
          </p>
        </div>
        <div className="rounded-2xl border border-line bg-raised p-6 shadow-card">
          <h1 className="mb-5 text-[0.9375rem] font-semibold">{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}

/** A quiet figure behind the card: deferents and epicycles. */
function Epicycles() {
  return (
    <svg
      className="pointer-events-none fixed inset-0 h-full w-full text-line-strong opacity-60"
      viewBox="0 0 1200 800"
      preserveAspectRatio="xMidYMid slice"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      <g strokeWidth="0.8">
        <circle cx="600" cy="400" r="330" />
        <circle cx="600" cy="400" r="470" />
        <circle cx="600" cy="400" r="620" strokeDasharray="2 7" />
        <circle cx="318" cy="229" r="62" />
        <circle cx="1006" cy="163" r="84" />
        <circle cx="934" cy="730" r="40" strokeDasharray="2 5" />
        <line x1="600" y1="400" x2="318" y2="229" strokeDasharray="1 6" />
        <line x1="600" y1="400" x2="1006" y2="163" strokeDasharray="1 6" />
      </g>
      <g fill="var(--gold)" stroke="none">
        <circle cx="264" cy="199" r="4" />
        <circle cx="1062" cy="226" r="5" />
        <circle cx="972" cy="742" r="3" />
      </g>
    </svg>
  );
}
