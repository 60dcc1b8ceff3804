import { queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { Rule } from "@/api/types";

export const rulesQuery = queryOptions({
  queryKey: ["rules"],
  queryFn: async (): Promise<Rule[]> => (await body(api.GET("/api/permissions"))).items,
});
