import {
  infiniteQueryOptions,
  keepPreviousData,
  type QueryClient,
  queryOptions,
} from "@tanstack/react-query";
import { ApiError, api, body, done } from "@/api/client";
import type { AddedPaper, LibraryPage, LookAlikes, Paper, TagCount } from "@/api/types";
import type { LibraryFilter } from "./filter";

const PAGE = 50;
/** As many as the server takes in one request. */
const MOST_AT_ONCE = 50;

export function libraryQuery(filter: LibraryFilter) {
  return infiniteQueryOptions({
    queryKey: ["library", "list", filter],
    queryFn: ({ pageParam }): Promise<LibraryPage> =>
      body(
        api.GET("/api/library", {
          params: {
            query: { ...filter, limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

export const tagsQuery = queryOptions({
  queryKey: ["library", "tags"],
  queryFn: async (): Promise<TagCount[]> => (await body(api.GET("/api/library/tags"))).items,
});

export const lookAlikesQuery = queryOptions({
  queryKey: ["library", "duplicates"],
  queryFn: async (): Promise<LookAlikes[]> =>
    (await body(api.GET("/api/library/duplicates"))).items,
});

/** Makes the other paper a part of the one that stays. */
export async function mergePapers(kept: string, other: string): Promise<void> {
  await body(
    api.POST("/api/papers/{id}/merge", {
      params: { path: { id: kept } },
      body: { other_id: other },
    }),
  );
}

/** Says that these are two papers. */
export function keepApart(one: string, other: string): Promise<void> {
  return done(
    api.POST("/api/papers/{id}/apart", {
      params: { path: { id: one } },
      body: { other_id: other },
    }),
  );
}

/** Whatever of the library is shown is read again. */
export function refreshLibrary(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ["library"] });
}

/** Adds papers, some at a time; the answers come as they arrive. */
export async function addPapers(
  identifiers: readonly string[],
  onAnswers: (answers: AddedPaper[]) => void,
): Promise<void> {
  for (let at = 0; at < identifiers.length; at += MOST_AT_ONCE) {
    const part = identifiers.slice(at, at + MOST_AT_ONCE);
    onAnswers((await body(api.POST("/api/library", { body: { identifiers: part } }))).items);
  }
}

export function changePaper(id: string, patch: { tags?: string[]; in_library?: boolean }) {
  return body(api.PATCH("/api/papers/{id}", { params: { path: { id } }, body: patch }));
}

export function deletePaper(id: string): Promise<void> {
  return done(api.DELETE("/api/papers/{id}", { params: { path: { id } } }));
}

/** Does the same to each paper; answers how many failed and the first reason. What is gone already counts as done. */
export async function toEach(
  papers: readonly Paper[],
  work: (paper: Paper) => Promise<unknown>,
): Promise<{ failed: number; detail: string }> {
  let failed = 0;
  let detail = "";
  for (const paper of papers) {
    try {
      await work(paper);
    } catch (cause) {
      if (cause instanceof ApiError && cause.status === 404) continue;
      failed += 1;
      if (!detail && cause instanceof Error) detail = cause.message;
    }
  }
  return { failed, detail };
}
