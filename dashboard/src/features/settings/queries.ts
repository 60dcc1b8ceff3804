import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import { isRecord } from "@/api/events";

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => body(api.GET("/api/health")),
  staleTime: 60_000,
  retry: false,
});

export type SandboxLevel = "full" | "files" | "none";

/** How far commands are kept apart from the server; null where it does not say. */
export function sandboxLevel(health: unknown): SandboxLevel | null {
  const level = isRecord(health) ? health["sandbox"] : null;
  return level === "full" || level === "files" || level === "none" ? level : null;
}

/** Whether the services that the agent lives on are set up; undefined where nobody says. */
export interface Services {
  llm: { configured: boolean; detail: string | null } | null;
  ads: { configured: boolean; detail: string | null } | null;
}

export const servicesQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: async (): Promise<Services> => {
    const settings = await body(api.GET("/api/settings"));
    return {
      llm: service(settings, "llm"),
      ads: service(settings, "ads"),
    };
  },
  staleTime: 60_000,
  retry: false,
});

function service(settings: unknown, name: string): Services["llm"] {
  const value = isRecord(settings) ? settings[name] : null;
  if (!isRecord(value) || typeof value["configured"] !== "boolean") return null;
  const detail = value["detail"];
  return {
    configured: value["configured"],
    detail: typeof detail === "string" && detail ? detail : null,
  };
}
