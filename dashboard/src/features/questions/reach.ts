import { type RefObject, useEffect } from "react";
import { create } from "zustand";
import type { Question } from "@/api/types";

/** Whether each card that is drawn can be seen, by its question. */
export const useInSight = create<{ ids: Record<string, boolean> }>(() => ({ ids: {} }));

/** Keeps note of whether a card can be seen. */
export function useSight(id: string, ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const card = ref.current;
    if (!card) return;
    const note = (seen: boolean | undefined) =>
      useInSight.setState((state) => {
        const { [id]: _old, ...others } = state.ids;
        return { ids: seen === undefined ? others : { ...others, [id]: seen } };
      });
    const observer = new IntersectionObserver((entries) => {
      note(entries.at(-1)?.isIntersecting ?? false);
    });
    observer.observe(card);
    return () => {
      observer.disconnect();
      note(undefined);
    };
  }, [id, ref]);
}

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
