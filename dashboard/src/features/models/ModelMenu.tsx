import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Check, ChevronDown } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/client";
import type { Model } from "@/api/types";
import { formatCount } from "@/components/format";
import { identityQuery } from "@/features/auth/auth";
import { modelsQuery, setCurrentModel } from "./queries";

const DOT: Record<Model["health"], string> = {
  ok: "bg-good",
  overloaded: "bg-gold",
  down: "bg-bad",
};

/** The value of the menu for "whichever the server uses". */
const SERVER = "";

/**
 * Which model answers here. A choice holds for the session; whoever administers the server can make
 * it everybody's.
 */
export function ModelMenu({
  chosen,
  onChoose,
}: {
  /** The session's own model; null when it follows the server. */
  chosen: string | null;
  onChoose: (name: string | null) => Promise<void> | void;
}) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const models = useQuery(modelsQuery);
  const admin = useQuery(identityQuery).data?.role === "admin";
  const [failure, setFailure] = useState<string | null>(null);
  const list = models.data ?? [];
  const current = list.find((model) => model.current);
  // What was wanted may be away; then another stands in, and is the current one.
  const wanted = list.find((model) => model.preferred);
  const name = chosen ?? current?.name;
  if (!name) return null;
  const shown = list.find((model) => model.name === name);

  const attempt = async (work: Promise<void> | void) => {
    setFailure(null);
    try {
      await work;
    } catch (error) {
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("model.failed", { detail }));
    }
  };

  return (
    <>
      <DropdownMenu.Root
        modal={false}
        onOpenChange={(open) => {
          if (open) void models.refetch();
        }}
      >
        <DropdownMenu.Trigger
          data-testid="model-menu"
          aria-label={t("model.menu", { name })}
          title={t("model.menu", { name })}
          className="inline-flex h-8 min-w-0 items-center gap-1.5 rounded-lg px-2 text-xs text-soft transition-colors hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken"
        >
          <Dot health={shown?.health ?? null} />
          <span className="max-w-40 truncate max-sm:max-w-24">{name}</span>
          <ChevronDown size={13} className="flex-none" aria-hidden="true" />
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="start"
            side="top"
            sideOffset={6}
            collisionPadding={12}
            className="z-50 max-h-[60vh] w-[min(21rem,calc(100vw-1.5rem))] overflow-y-auto rounded-xl border border-line bg-raised p-1.5 text-[0.8125rem] text-ink shadow-card"
          >
            <DropdownMenu.Label className="px-2 pt-1 pb-1.5 text-2xs font-medium text-faint">
              {t("model.title")}
            </DropdownMenu.Label>
            <DropdownMenu.RadioGroup
              value={chosen ?? SERVER}
              onValueChange={(value) => void attempt(onChoose(value === SERVER ? null : value))}
            >
              {current && <Item value={SERVER} title={t("model.server")} note={current.name} />}
              {list.map((model) => (
                <Item
                  key={`${model.name} ${model.endpoint}`}
                  value={model.name}
                  title={model.name}
                  note={describe(model)}
                  dot={<Dot health={model.health} />}
                  tag={model.preferred ? t("model.preferred") : null}
                />
              ))}
            </DropdownMenu.RadioGroup>
            {admin && chosen && chosen !== wanted?.name && (
              <>
                <DropdownMenu.Separator className="my-1.5 h-px bg-line" />
                <DropdownMenu.Item
                  data-testid="model-everywhere"
                  onSelect={() => void attempt(setCurrentModel(client, chosen))}
                  className="cursor-pointer rounded-md py-1.5 pr-2 pl-8 outline-none data-highlighted:bg-sunken"
                >
                  {t("model.everywhere", { name: chosen })}
                </DropdownMenu.Item>
              </>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {failure && (
        <span role="alert" className="min-w-0 truncate text-xs text-bad" title={failure}>
          {failure}
        </span>
      )}
    </>
  );

  function describe(model: Model): string {
    return [
      model.health === "ok" ? null : t(`model.health.${model.health}`),
      t("model.window", { size: formatCount(model.context_window) }),
      model.endpoint,
    ]
      .filter(Boolean)
      .join(" · ");
  }
}

function Item({
  value,
  title,
  note,
  dot,
  tag,
}: {
  value: string;
  title: string;
  note: string;
  dot?: ReactNode;
  tag?: string | null;
}) {
  return (
    <DropdownMenu.RadioItem
      value={value}
      data-testid="model-option"
      data-model={value}
      className="flex cursor-pointer items-start gap-2 rounded-md px-2 py-1.5 outline-none data-highlighted:bg-sunken"
    >
      <span className="mt-0.5 size-4 flex-none">
        <DropdownMenu.ItemIndicator>
          <Check size={15} className="text-accent" aria-hidden="true" />
        </DropdownMenu.ItemIndicator>
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex items-center gap-1.5">
          <span className="min-w-0 truncate">{title}</span>
          {tag && <span className="flex-none text-2xs text-faint">{tag}</span>}
        </span>
        {note && <span className="block truncate text-xs text-faint">{note}</span>}
      </span>
      {dot && <span className="mt-1.5">{dot}</span>}
    </DropdownMenu.RadioItem>
  );
}

function Dot({ health }: { health: Model["health"] | null }) {
  const { t } = useTranslation();
  if (!health) return null;
  const label = t(`model.health.${health}`);
  return (
    <span
      title={label}
      data-health={health}
      className={`block size-[7px] flex-none rounded-full ${DOT[health]}`}
    >
      <span className="sr-only">{label}</span>
    </span>
  );
}
