import { Circle, CircleCheck, CircleDot } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { TodoView } from "./shapes";

export function TodoList({ todos }: { todos: readonly TodoView[] }) {
  const { t } = useTranslation();
  return (
    <ul className="space-y-1 text-[0.8125rem]">
      {todos.map((todo) => {
        const Icon = { pending: Circle, in_progress: CircleDot, completed: CircleCheck }[
          todo.status
        ];
        const color = { pending: "text-faint", in_progress: "text-gold", completed: "text-good" }[
          todo.status
        ];
        return (
          <li key={todo.id} className="flex items-start gap-2">
            <Icon size={14} className={`mt-[3px] flex-none ${color}`} aria-hidden="true" />
            <span className="sr-only">{t(`tool.todo.${todo.status}`)}: </span>
            <span className={todo.status === "completed" ? "text-faint line-through" : ""}>
              {todo.content}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
