import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, body, done } from "@/api/client";
import type { Model } from "@/api/pending";

/** The models that the server may use; their health changes while one looks. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async (): Promise<Model[]> => (await body(api.GET("/api/models"))).items,
  staleTime: 30_000,
  retry: false,
});

/** Makes a model the one that answers wherever no other was chosen. */
export async function setCurrentModel(client: QueryClient, name: string): Promise<void> {
  await done(api.PUT("/api/models/current", { body: { name } }));
  await client.invalidateQueries(modelsQuery);
}
