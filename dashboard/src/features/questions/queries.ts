import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, body } from "@/api/client";
import type { QuestionAnswer } from "@/api/pending";
import type { Question } from "@/api/types";

/** Every open question of the user, oldest first. */
export const questionsQuery = queryOptions({
  queryKey: ["questions", "open"],
  queryFn: async (): Promise<Question[]> =>
    (await body(api.GET("/api/questions", { params: { query: { status: "open" } } }))).items,
  staleTime: Number.POSITIVE_INFINITY,
});

export function storeQuestion(client: QueryClient, question: Question): void {
  client.setQueryData(questionsQuery.queryKey, (list = []) => {
    const others = list.filter((each) => each.id !== question.id);
    return question.status === "open" ? [...others, question] : others;
  });
}

export function closeQuestion(client: QueryClient, id: string): void {
  client.setQueryData(questionsQuery.queryKey, (list) => list?.filter((each) => each.id !== id));
}

export async function answerQuestion(
  client: QueryClient,
  id: string,
  answer: QuestionAnswer,
): Promise<void> {
  await body(api.POST("/api/questions/{id}/answer", { params: { path: { id } }, body: answer }));
  closeQuestion(client, id);
}
