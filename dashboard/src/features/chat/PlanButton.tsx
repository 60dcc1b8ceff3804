import { ListTodo } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Todo } from "@/api/types";
import { TodoList } from "@/features/tools/TodoList";

/** The agent's plan, folded into a button that says how far it is. */
export function PlanButton({ todos }: { todos: readonly Todo[] }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return;
    const outside = (event: PointerEvent) => {
      if (!ref.current?.contains(event.target as Node)) setOpen(false);
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [open]);
  if (todos.length === 0) return null;
  const done = todos.filter((todo) => todo.status === "completed").length;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is heard from the button and the list.
    <div
      ref={ref}
      className="relative"
      onKeyDown={(event) => {
        if (event.key === "Escape") setOpen(false);
      }}
    >
      <button
        type="button"
        aria-expanded={open}
        title={t("chat.planDone", { done, total: todos.length })}
        onClick={() => setOpen(!open)}
        className="inline-flex h-7 items-center gap-1.5 rounded-md px-2 text-xs text-soft tabular-nums hover:bg-sunken hover:text-ink"
      >
        <ListTodo size={14} aria-hidden="true" />
        {t("chat.plan")} {done}/{todos.length}
      </button>
      {open && (
        <div className="absolute top-9 right-0 z-30 w-80 rounded-xl border border-line bg-raised p-3.5 shadow-card">
          <TodoList todos={todos} />
        </div>
      )}
    </div>
  );
}
