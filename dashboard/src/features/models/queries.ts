import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { Model } from "@/api/types";

/** The models that the server may use; their health changes while one looks. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async (): Promise<Model[]> => (await body(api.GET("/api/models"))).items,
  staleTime: 30_000,
  retry: false,
});

/** Makes a model the one that answers wherever no other was chosen. */
export async function setCurrentModel(client: QueryClient, name: string): Promise<void> {
  const answer = await body(api.PUT("/api/models/current", { body: { name } }));
  client.setQueryData(modelsQuery.queryKey, answer.items);
}
