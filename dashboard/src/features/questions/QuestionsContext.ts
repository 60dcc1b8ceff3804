import { createContext, useContext } from "react";
import type { Question } from "@/api/types";

/** The open questions of the session on the page. */
export const QuestionsContext = createContext<readonly Question[]>([]);

/** Those that one of these calls waits for. */
export function useQuestionsOf(calls: readonly string[]): readonly Question[] {
  const questions = useContext(QuestionsContext);
  return questions.filter((question) => calls.includes(question.tool_call_id ?? ""));
}
