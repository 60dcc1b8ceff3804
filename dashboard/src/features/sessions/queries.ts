import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { api, body, done } from "@/api/client";
import type { Session, SessionPatch } from "@/api/types";

type Page = { items: Session[]; next_cursor?: string | null };
type Pages = InfiniteData<Page, string | null>;

const PAGE = 40;

export const sessionsQuery = infiniteQueryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ pageParam }): Promise<Page> =>
    body(
      api.GET("/api/sessions", {
        params: { query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) } },
      }),
    ),
  initialPageParam: null as string | null,
  getNextPageParam: (page: Page) => page.next_cursor ?? null,
  staleTime: Number.POSITIVE_INFINITY,
});

export function sessionQuery(id: string) {
  return queryOptions({
    queryKey: ["session", id],
    queryFn: () => body(api.GET("/api/sessions/{id}", { params: { path: { id } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Every session once, pinned ones first, then by their last change. */
export function sortSessions(pages: readonly Page[]): Session[] {
  const byId = new Map<string, Session>();
  for (const page of pages) {
    for (const session of page.items) {
      const known = byId.get(session.id);
      if (!known || known.updated_at < session.updated_at) byId.set(session.id, session);
    }
  }
  return [...byId.values()].sort(
    (a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at.localeCompare(a.updated_at),
  );
}

/** Puts a session's new state into every cached place. */
export function storeSession(client: QueryClient, session: Session): void {
  client.setQueryData(sessionQuery(session.id).queryKey, session);
  client.setQueryData<Pages>(sessionsQuery.queryKey, (data) => {
    if (!data) return data;
    const known = data.pages.some((page) => page.items.some((each) => each.id === session.id));
    return {
      ...data,
      pages: data.pages.map((page, index) => {
        if (known) {
          return {
            ...page,
            items: page.items.map((each) => (each.id === session.id ? session : each)),
          };
        }
        return index === 0 ? { ...page, items: [session, ...page.items] } : page;
      }),
    };
  });
}

/** Changes what is cached of one session, where it is cached. */
export function touchSession(
  client: QueryClient,
  id: string,
  change: (session: Session) => Session,
): void {
  client.setQueryData(sessionQuery(id).queryKey, (session) => session && change(session));
  client.setQueryData<Pages>(sessionsQuery.queryKey, (data) => {
    if (!data) return data;
    return {
      ...data,
      pages: data.pages.map((page) => ({
        ...page,
        items: page.items.map((each) => (each.id === id ? change(each) : each)),
      })),
    };
  });
}

export function dropSession(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: sessionQuery(id).queryKey });
  client.setQueryData<Pages>(sessionsQuery.queryKey, (data) => {
    if (!data) return data;
    return {
      ...data,
      pages: data.pages.map((page) => ({
        ...page,
        items: page.items.filter((each) => each.id !== id),
      })),
    };
  });
}

export async function createSession(
  client: QueryClient,
  choices: { model?: string } = {},
): Promise<Session> {
  const session = await body(api.POST("/api/sessions", { body: choices }));
  storeSession(client, session);
  return session;
}

export async function patchSession(
  client: QueryClient,
  id: string,
  change: SessionPatch,
): Promise<void> {
  storeSession(
    client,
    await body(api.PATCH("/api/sessions/{id}", { params: { path: { id } }, body: change })),
  );
}

export async function deleteSession(client: QueryClient, id: string): Promise<void> {
  await done(api.DELETE("/api/sessions/{id}", { params: { path: { id } } }));
  dropSession(client, id);
}
