import { useQuery } from "@tanstack/react-query";
import { PanelLeft } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import type { Identity } from "@/api/types";
import { IconButton } from "@/components/Button";
import { ConnectionNotice } from "@/features/live/ConnectionNotice";
import { AskBar } from "@/features/questions/AskBar";
import { questionsQuery } from "@/features/questions/queries";
import { goToQuestion } from "@/features/questions/reach";
import { Sidebar } from "@/features/sessions/Sidebar";
import { ServiceBanner } from "@/features/settings/ServiceBanner";
import { usePreferences } from "./preferences";
import { useShortcuts } from "./shortcuts";
import { useBadge } from "./title";

const NARROW = "(max-width: 48rem)";

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const list = matchMedia(NARROW);
    const change = () => setNarrow(list.matches);
    list.addEventListener("change", change);
    return () => list.removeEventListener("change", change);
  }, []);
  return narrow;
}

/** The frame of every page behind the login: sessions at the left, the page at the right. */
export function Layout({ identity, children }: { identity: Identity; children: ReactNode }) {
  const { t } = useTranslation();
  const narrow = useNarrow();
  const wide = usePreferences((state) => state.sidebarOpen);
  const set = usePreferences((state) => state.set);
  // On a narrow screen the list lies over the page, and opens only when asked for.
  const [drawer, setDrawer] = useState(false);
  const open = narrow ? drawer : wide;
  const toggle = (to = !open) => (narrow ? setDrawer(to) : set({ sidebarOpen: to }));
  const location = useLocation();
  const navigate = useNavigate();
  const searchRef = useRef<HTMLInputElement>(null);
  const questions = useQuery(questionsQuery);

  useEffect(() => {
    useBadge.setState({ count: questions.data?.length ?? 0 });
  }, [questions.data]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawer closes whenever the page changes.
  useEffect(() => setDrawer(false), [location.pathname]);

  useShortcuts({
    search: () => {
      toggle(true);
      // At once when the field is there: whoever types on must not lose a letter.
      if (searchRef.current) searchRef.current.focus();
      else requestAnimationFrame(() => searchRef.current?.focus());
    },
    newSession: () => void navigate("/"),
    question: () => {
      const shown = questions.data?.find((question) => goToQuestion(question));
      const first = questions.data?.[0];
      if (!shown && first) void navigate(`/s/${first.session_id}`);
    },
    toggleSidebar: () => toggle(),
    escape: () => narrow && setDrawer(false),
  });

  return (
    <div className="flex h-full">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2 focus:shadow-card"
      >
        {t("app.skip")}
      </a>
      {narrow && drawer && (
        <div
          aria-hidden="true"
          className="fixed inset-0 z-30 bg-[oklch(0.2_0.02_265/0.4)]"
          onClick={() => setDrawer(false)}
        />
      )}
      {open && (
        <div
          className={`z-40 h-full w-[17.5rem] flex-none border-r border-line bg-panel ${narrow ? "fixed inset-y-0 left-0 shadow-card" : ""}`}
        >
          <Sidebar identity={identity} searchRef={searchRef} onHide={() => toggle(false)} />
        </div>
      )}
      <div className="relative flex min-w-0 flex-1 flex-col">
        {!open && (
          <IconButton
            label={t("sidebar.open")}
            className="absolute top-2 left-2 z-20"
            onClick={() => toggle(true)}
          >
            <PanelLeft size={17} />
          </IconButton>
        )}
        <ServiceBanner inset={!open} />
        <AskBar inset={!open} />
        <ConnectionNotice />
        <main
          id="main"
          tabIndex={-1}
          className="flex min-h-0 flex-1 flex-col outline-none"
          data-sidebar={open ? "open" : "closed"}
        >
          {children}
        </main>
      </div>
    </div>
  );
}
