import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { ApiError, api, body, done, onSessionExpired } from "@/api/client";
import type { Identity } from "@/api/types";

/** Who is logged in; null for nobody. Other failures are errors: the server may just be away. */
export const identityQuery = queryOptions({
  queryKey: ["identity"],
  queryFn: async (): Promise<Identity | null> => {
    try {
      return await body(api.GET("/api/auth/verify"));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 4,
});

const CHANNEL = "almagest-auth";
let channel: BroadcastChannel | null = null;

/** Forgets everything that belonged to the user who was logged in. */
function forget(client: QueryClient): void {
  if (client.getQueryData(identityQuery.queryKey) === null) return;
  client.setQueryData(identityQuery.queryKey, null);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== identityQuery.queryKey[0] });
}

/** A 401 anywhere, or a logout in another tab, ends the login here too. */
export function watchAuth(client: QueryClient): void {
  onSessionExpired(() => forget(client));
  if (typeof BroadcastChannel === "undefined") return;
  channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = (message: MessageEvent<unknown>) => {
    if (message.data === "logout") forget(client);
    if (message.data === "login") void client.invalidateQueries(identityQuery);
  };
}

export async function login(
  client: QueryClient,
  username: string,
  password: string,
): Promise<void> {
  const identity = await body(api.POST("/api/auth/login", { body: { username, password } }));
  client.setQueryData(identityQuery.queryKey, identity);
  channel?.postMessage("login");
}

export async function setUp(token: string, username: string, password: string): Promise<void> {
  await done(api.POST("/api/auth/setup", { body: { token, username, password } }));
}

export async function logout(client: QueryClient): Promise<void> {
  await done(api.POST("/api/auth/logout")).catch((error: unknown) => {
    // Already logged out is logged out.
    if (!(error instanceof ApiError && error.status === 401)) throw error;
  });
  channel?.postMessage("logout");
  forget(client);
}
