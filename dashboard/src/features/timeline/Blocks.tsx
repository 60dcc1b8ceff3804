import { memo } from "react";
import { useTranslation } from "react-i18next";
import { useLanguage } from "@/app/preferences";
import { CopyButton } from "@/components/CopyButton";
import { formatDateTime, formatTime } from "@/components/format";
import { Markdown } from "@/components/markdown/Markdown";
import { SummaryCard } from "@/features/context/SummaryCard";
import type { Block } from "./blocks";
import { HookLines } from "./HookLines";
import { NoticeLine } from "./NoticeLine";
import { WorkGroup } from "./WorkGroup";

/** Draws the blocks of a lane. `working`: the run that fills it is still going. */
export function Blocks({ blocks, working }: { blocks: readonly Block[]; working: boolean }) {
  return blocks.map((block, index) => {
    const last = index === blocks.length - 1;
    switch (block.kind) {
      case "user":
        return <Question key={block.key} block={block} />;
      case "summary":
        return <SummaryCard key={block.key} message={block.message} />;
      case "work":
        return <WorkGroup key={block.key} entries={block.entries} current={working && last} />;
      case "answer":
        return <Answer key={block.key} block={block} />;
      case "notice":
        return <NoticeLine key={block.key} notice={block.notice} />;
      case "hooks":
        return <HookLines key={block.key} hooks={block.hooks} />;
      default:
        return block satisfies never;
    }
  });
}

type Of<K extends Block["kind"]> = Extract<Block, { kind: K }>;

/** What the user asked: the heading of all that follows. */
const Question = memo(function Question({ block }: { block: Of<"user"> }) {
  const { t } = useTranslation();
  const { message } = block;
  return (
    <article
      id={`m-${message.id}`}
      data-testid="user-message"
      aria-label={t("chat.you")}
      className="mt-9 first:mt-0"
    >
      <div className="rounded-xl border border-line bg-panel px-4 py-2.5">
        <p className="text-[0.9375rem] leading-[1.55] font-[470] break-words whitespace-pre-wrap">
          {message.content}
        </p>
      </div>
      <Time iso={message.created_at} className="mt-1 block pr-1 text-right" />
    </article>
  );
}, sameBlock);

const Answer = memo(function Answer({ block }: { block: Of<"answer"> }) {
  const { t } = useTranslation();
  return (
    <article
      id={block.messageId ? `m-${block.messageId}` : undefined}
      data-testid="assistant-message"
      data-live={block.live}
      className={`group/answer mt-4 ${block.live ? "" : "settled"}`}
    >
      <Markdown text={block.text} live={block.live} />
      {block.final && (
        <footer className="mt-1.5 flex h-7 items-center gap-2 text-xs text-faint">
          {block.model && <span data-testid="answer-model">{block.model}</span>}
          {block.createdAt && <Time iso={block.createdAt} />}
          <CopyButton
            text={block.text}
            label={t("chat.copyAnswer")}
            className="opacity-0 group-focus-within/answer:opacity-100 group-hover/answer:opacity-100 [@media(hover:none)]:opacity-100"
          />
        </footer>
      )}
    </article>
  );
}, sameBlock);

function Time({ iso, className = "" }: { iso: string; className?: string }) {
  const language = useLanguage();
  return (
    <time
      dateTime={iso}
      title={formatDateTime(iso, language)}
      className={`text-xs text-faint tabular-nums ${className}`}
    >
      {formatTime(iso, language)}
    </time>
  );
}

/** Blocks are made anew on each event; what they hold is what decides. */
function sameBlock(a: { block: Block }, b: { block: Block }): boolean {
  if (a.block.kind === "answer" && b.block.kind === "answer") {
    return (
      a.block.text === b.block.text &&
      a.block.live === b.block.live &&
      a.block.final === b.block.final &&
      a.block.messageId === b.block.messageId &&
      a.block.model === b.block.model
    );
  }
  if (a.block.kind === "user" && b.block.kind === "user") {
    return a.block.message === b.block.message;
  }
  return false;
}
