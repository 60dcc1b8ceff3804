/** The mark: a planet on its epicycle, as the Almagest drew it. */
export function Logo({ size = 22 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <circle cx="14.5" cy="17.5" r="12" stroke="currentColor" strokeWidth="1.7" />
      <circle cx="14.5" cy="17.5" r="2" fill="currentColor" />
      <circle cx="23" cy="9" r="6.6" fill="var(--logo-ground, var(--page))" />
      <circle cx="23" cy="9" r="6.6" stroke="var(--gold)" strokeWidth="1.7" />
      <circle cx="27.7" cy="4.3" r="3" fill="var(--gold)" />
    </svg>
  );
}

export function Wordmark() {
  return (
    <span className="flex items-center gap-2.5 text-ink">
      <Logo />
      <span className="font-serif text-[1.19rem] font-[560] tracking-[-0.01em]">Almagest</span>
    </span>
  );
}
