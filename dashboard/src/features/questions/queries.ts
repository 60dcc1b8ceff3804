import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { create } from "zustand";
import { ApiError, api, body } from "@/api/client";
import type { Question, QuestionAnswer } from "@/api/types";

/** Every open question of the user, the one that ends first in front. */
export const questionsQuery = queryOptions({
  queryKey: ["questions", "open"],
  queryFn: async (): Promise<Question[]> =>
    inOrder(
      (await body(api.GET("/api/questions", { params: { query: { status: "open" } } }))).items,
    ),
  staleTime: Number.POSITIVE_INFINITY,
});

function inOrder(list: readonly Question[]): Question[] {
  return [...list].sort((a, b) => a.expires_at.localeCompare(b.expires_at));
}

export function storeQuestion(client: QueryClient, question: Question): void {
  client.setQueryData(questionsQuery.queryKey, (list = []) => {
    const others = list.filter((each) => each.id !== question.id);
    return question.status === "open" ? inOrder([...others, question]) : others;
  });
}

export function closeQuestion(client: QueryClient, id: string): void {
  client.setQueryData(questionsQuery.queryKey, (list) => list?.filter((each) => each.id !== id));
}

/**
 * That an answer came too late, by session. It stands apart from the card, which the event that
 * closes the question may take away before the refusal arrives.
 */
export const useLateAnswers = create<{ sessions: Record<string, number> }>(() => ({
  sessions: {},
}));

/** Answers a question. False when it was closed already; throws `ApiError` for other refusals. */
export async function answerQuestion(
  client: QueryClient,
  question: Question,
  answer: QuestionAnswer,
): Promise<boolean> {
  const { id, session_id } = question;
  try {
    await body(api.POST("/api/questions/{id}/answer", { params: { path: { id } }, body: answer }));
    closeQuestion(client, id);
    return true;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error;
    useLateAnswers.setState((state) => ({
      sessions: { ...state.sessions, [session_id]: Date.now() },
    }));
    // The event closes it; should that be missed, the list tells.
    void client.invalidateQueries(questionsQuery);
    return false;
  }
}
