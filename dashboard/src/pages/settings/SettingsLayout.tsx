import {
  Activity,
  BookMarked,
  Brain,
  type LucideIcon,
  ScrollText,
  ShieldCheck,
  SlidersHorizontal,
  Webhook,
} from "lucide-react";
import { Suspense, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, Outlet, useLocation } from "react-router";

/** The settings: their parts at the left, or in a row above on a narrow screen. */
export default function SettingsLayout() {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // In the row of a narrow screen the current page may lie outside.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the page changes.
  useEffect(() => {
    const row = nav.current;
    const link = row?.querySelector<HTMLElement>("[aria-current]");
    // Not `scrollIntoView`, which would move the page as well.
    if (row && link) {
      const from = link.getBoundingClientRect().left - row.getBoundingClientRect().left;
      row.scrollLeft += from - (row.clientWidth - link.offsetWidth) / 2;
    }
  }, [pathname]);
  const groups: { title: string; links: [string, string, LucideIcon][] }[] = [
    {
      title: t("settings.title"),
      links: [["/settings", t("pages.general"), SlidersHorizontal]],
    },
    {
      title: t("pages.agent"),
      links: [
        ["/settings/permissions", t("rules.title"), ShieldCheck],
        ["/settings/hooks", t("hooksPage.title"), Webhook],
        ["/settings/skills", t("skills.title"), BookMarked],
        ["/settings/memories", t("memories.title"), Brain],
      ],
    },
    {
      title: t("pages.records"),
      links: [
        ["/settings/audit", t("audit.title"), ScrollText],
        ["/settings/metrics", t("metrics.title"), Activity],
      ],
    },
  ];
  return (
    <div className="flex min-h-0 flex-1 max-lg:flex-col">
      <nav
        ref={nav}
        aria-label={t("settings.title")}
        className="flex flex-none gap-x-5 overflow-x-auto border-line px-3 pt-2.5 pb-2 in-data-[sidebar=closed]:pl-13 max-lg:border-b lg:w-48 lg:flex-col lg:gap-y-5 lg:border-r lg:pt-14 lg:in-data-[sidebar=closed]:pl-3"
      >
        {groups.map((group) => (
          <section key={group.title} aria-label={group.title} className="flex lg:block">
            <h2 className="px-2 pb-1 text-2xs font-medium tracking-wide text-faint max-lg:sr-only">
              {group.title}
            </h2>
            <ul className="flex gap-0.5 lg:block">
              {group.links.map(([to, label, Icon]) => (
                <li key={to}>
                  <NavLink
                    to={to}
                    end
                    className="flex h-8 items-center gap-2 rounded-lg px-2 text-[0.8125rem] whitespace-nowrap text-soft hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-ink"
                  >
                    <Icon size={15} className="flex-none" aria-hidden="true" />
                    {label}
                  </NavLink>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </nav>
      <div className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Suspense>
          <Outlet />
        </Suspense>
      </div>
    </div>
  );
}
