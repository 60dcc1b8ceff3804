import type { Question } from "@/api/types";

/** Scrolls to the card of a question and puts the focus on its first answer. */
export function goToQuestion(question: Pick<Question, "id">): boolean {
  const card = document.getElementById(`q-${question.id}`);
  if (!card) return false;
  card.scrollIntoView({ block: "center" });
  const first = card.querySelector<HTMLElement>(
    "[data-testid='decision-once'], [data-testid='question-option'], textarea",
  );
  first?.focus({ preventScroll: true });
  return true;
}
