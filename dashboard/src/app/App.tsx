import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { createBrowserRouter, Navigate, Outlet, RouterProvider, useLocation } from "react-router";
import { Button } from "@/components/Button";
import { identityQuery } from "@/features/auth/auth";
import { LiveProvider } from "@/features/live/live";
import ChatPage from "@/pages/ChatPage";
import HomePage from "@/pages/HomePage";
import LoginPage from "@/pages/LoginPage";
import NotFoundPage from "@/pages/NotFoundPage";
import { Layout } from "./Layout";

const LibraryPage = lazy(() => import("@/pages/LibraryPage"));
const SettingsLayout = lazy(() => import("@/pages/settings/SettingsLayout"));
const GeneralPage = lazy(() => import("@/pages/settings/GeneralPage"));
const PermissionsPage = lazy(() => import("@/pages/settings/PermissionsPage"));
const HooksPage = lazy(() => import("@/pages/settings/HooksPage"));
const SkillsPage = lazy(() => import("@/pages/settings/SkillsPage"));
const MemoriesPage = lazy(() => import("@/pages/settings/MemoriesPage"));
const AuditPage = lazy(() => import("@/pages/settings/AuditPage"));
const MetricsPage = lazy(() => import("@/pages/settings/MetricsPage"));
const SetupPage = lazy(() => import("@/pages/SetupPage"));

/** Everything behind it needs a login; the path is kept for afterwards. */
function Guard() {
  const { t } = useTranslation();
  const identity = useQuery(identityQuery);
  const location = useLocation();
  if (identity.isPending) {
    return (
      <div className="flex h-full items-center justify-center" role="status">
        <span className="orbit" />
        <span className="sr-only">{t("app.loading")}</span>
      </div>
    );
  }
  if (identity.isError) {
    return (
      <main className="flex h-full flex-col items-center justify-center gap-4">
        <p role="alert">{t("app.unreachable")}</p>
        <Button onClick={() => void identity.refetch()}>{t("app.retry")}</Button>
      </main>
    );
  }
  if (!identity.data) {
    const path = location.pathname + location.search;
    const next = path === "/" ? "" : `?next=${encodeURIComponent(path)}`;
    return <Navigate to={`/login${next}`} replace />;
  }
  return (
    <LiveProvider key={identity.data.username} user={identity.data.username}>
      <Layout identity={identity.data}>
        <Suspense>
          <Outlet />
        </Suspense>
      </Layout>
    </LiveProvider>
  );
}

const router = createBrowserRouter([
  { path: "/login", element: <LoginPage /> },
  {
    path: "/setup",
    element: (
      <Suspense>
        <SetupPage />
      </Suspense>
    ),
  },
  {
    element: <Guard />,
    children: [
      { path: "/", element: <HomePage /> },
      { path: "/s/:id", element: <ChatPage /> },
      { path: "/library", element: <LibraryPage /> },
      {
        path: "/settings",
        element: <SettingsLayout />,
        children: [
          { index: true, element: <GeneralPage /> },
          { path: "permissions", element: <PermissionsPage /> },
          { path: "hooks", element: <HooksPage /> },
          { path: "skills", element: <SkillsPage /> },
          { path: "memories", element: <MemoriesPage /> },
          { path: "audit", element: <AuditPage /> },
          { path: "metrics", element: <MetricsPage /> },
        ],
      },
      { path: "*", element: <NotFoundPage /> },
    ],
  },
]);

export function App() {
  return <RouterProvider router={router} />;
}
