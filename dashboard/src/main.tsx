import "./app/styles.css";
import "./i18n";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/client";
import { App } from "./app/App";
import { CrashGuard } from "./app/CrashGuard";
import { watchPreferences } from "./app/preferences";
import { watchAuth } from "./features/auth/auth";
import { watchOutbox } from "./features/composer/outbox";

const client = new QueryClient({
  defaultOptions: {
    queries: {
      refetchOnWindowFocus: false,
      // What the server refuses stays refused; what did not get through is tried again.
      retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 3,
    },
  },
});

watchPreferences();
watchAuth(client);
watchOutbox();

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <CrashGuard>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </CrashGuard>
  </StrictMode>,
);
