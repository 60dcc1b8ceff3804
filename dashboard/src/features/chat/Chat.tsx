import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowDown } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { useTitle } from "@/app/title";
import { Button } from "@/components/Button";
import { Composer } from "@/features/composer/Composer";
import { type Outgoing, send, useOutbox } from "@/features/composer/outbox";
import { Queue } from "@/features/composer/Queue";
import { ContextGauge } from "@/features/context/ContextGauge";
import { newestSummary } from "@/features/context/record";
import { SummaryContext } from "@/features/context/SummaryContext";
import { ModelMenu } from "@/features/models/ModelMenu";
import { ThinkingSwitch } from "@/features/models/ThinkingSwitch";
import { AskPrompt } from "@/features/questions/AskPrompt";
import { QuestionCard } from "@/features/questions/QuestionCard";
import { QuestionsContext } from "@/features/questions/QuestionsContext";
import { questionsQuery } from "@/features/questions/queries";
import { patchSession, sessionQuery } from "@/features/sessions/queries";
import { titleOf } from "@/features/sessions/title";
import { Blocks } from "@/features/timeline/Blocks";
import { toBlocks } from "@/features/timeline/blocks";
import { EMPTY_LANE, type Lane, MAIN, type Timeline } from "@/features/timeline/model";
import { RunStatus } from "@/features/timeline/RunStatus";
import { TimelineContext } from "@/features/timeline/TimelineContext";
import { useFeed } from "@/features/timeline/useFeed";
import { useFollow } from "@/features/timeline/useFollow";
import { ChatHeader } from "./ChatHeader";
import { LiveStatus } from "./LiveStatus";
import { useJump } from "./useJump";

export function Chat({ sessionId }: { sessionId: string }) {
  const { t } = useTranslation();
  const feed = useFeed(sessionId);
  const { timeline } = feed;
  const session = useQuery(sessionQuery(sessionId)).data;
  useTitle(session ? titleOf(session, t) : "");
  const client = useQueryClient();
  const open = useQuery(questionsQuery).data;
  const questions = useMemo(
    () => open?.filter((question) => question.session_id === sessionId) ?? [],
    [open, sessionId],
  );
  const { failed, onTheWay } = useOutgoing(sessionId, timeline);

  const scroller = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const follow = useFollow(scroller, content, feed.status);
  useJump(feed.status === "ready", timeline, follow.release);

  const { reload } = feed;
  const newest = newestSummary(timeline.lanes[MAIN] ?? EMPTY_LANE)?.id ?? null;
  const summaries = useMemo(
    () => ({ sessionId, newest, onChanged: reload }),
    [sessionId, newest, reload],
  );

  if (feed.status === "missing") return <Missing />;

  const lane = timeline.lanes[MAIN] ?? EMPTY_LANE;
  const run = timeline.activeRunId ? timeline.runs[timeline.activeRunId] : undefined;
  const waiting = questions.length > 0;
  // A question whose call is not on the page stands at its end.
  const loose = questions.filter((question) => !isPlaced(lane, question.tool_call_id));
  const empty =
    feed.status === "ready" && lane.items.length === 0 && !lane.draft && onTheWay.length === 0;
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <ChatHeader session={session} timeline={timeline} />
      <section
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
        tabIndex={0}
        aria-label={t("chat.timeline")}
        data-testid="timeline"
        data-status={feed.status}
        className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]"
      >
        <div ref={content} className="mx-auto w-full max-w-[46rem] px-5 pt-6 pb-10">
          {feed.status === "loading" && <Loading />}
          {feed.status === "error" && (
            <div role="alert" className="space-y-3 py-10 text-center">
              <p>{t("chat.loadFailed", { detail: feed.error ?? "" })}</p>
              <Button onClick={feed.reload}>{t("app.retry")}</Button>
            </div>
          )}
          {empty && (
            <div className="py-24 text-center">
              <p className="font-serif text-xl">{t("chat.emptyTitle")}</p>
              <p className="mt-1 text-soft">{t("chat.emptyText")}</p>
            </div>
          )}
          <TimelineContext value={timeline}>
            <QuestionsContext value={questions}>
              <SummaryContext value={summaries}>
                <TimelineBlocks timeline={timeline} />
              </SummaryContext>
            </QuestionsContext>
          </TimelineContext>
          {loose.map((question) => (
            <QuestionCard key={question.id} question={question} />
          ))}
          {onTheWay.map((item) => (
            <SentMessage key={item.clientId} item={item} />
          ))}
          {run && <RunStatus run={run} quiet={waiting || isSpeaking(timeline)} />}
        </div>
      </section>
      <div className="relative mx-auto w-full max-w-[48rem] px-4 pb-4">
        {!follow.pinned && (
          <Button
            className="absolute -top-10 left-1/2 -translate-x-1/2 rounded-full! shadow-card"
            data-testid="jump-latest"
            onClick={follow.toEnd}
          >
            <ArrowDown size={14} aria-hidden="true" />
            {t("chat.latest")}
          </Button>
        )}
        <AskPrompt sessionId={sessionId} questions={questions} />
        <Queue waiting={timeline.queue} failed={failed} />
        <Composer
          draftKey={sessionId}
          runId={timeline.activeRunId}
          waiting={waiting}
          onSend={(text) => {
            follow.toEnd();
            void send(sessionId, text);
          }}
        >
          <ModelMenu
            chosen={session?.model ?? null}
            onChoose={(model) => patchSession(client, sessionId, { model })}
          />
          <ThinkingSwitch />
          {timeline.context && (
            <ContextGauge
              sessionId={sessionId}
              context={timeline.context}
              canUndo={summaries.newest !== null}
              onChanged={feed.reload}
            />
          )}
        </Composer>
      </div>
      <LiveStatus timeline={timeline} questions={questions.length} />
    </div>
  );
}

function TimelineBlocks({ timeline }: { timeline: Timeline }) {
  const lane = timeline.lanes[MAIN] ?? EMPTY_LANE;
  const blocks = useMemo(() => toBlocks(lane), [lane]);
  return <Blocks blocks={blocks} working={timeline.activeRunId !== null} />;
}

function isPlaced(lane: Lane, call: string | null | undefined): boolean {
  if (!call) return false;
  if (lane.draft?.toolIds.includes(call)) return true;
  return lane.items.some((item) =>
    item.kind === "message"
      ? item.toolIds.includes(call)
      : item.kind === "partial" && item.draft.toolIds.includes(call),
  );
}

/** Something on the page already shows that the run is alive. */
function isSpeaking(timeline: Timeline): boolean {
  const draft = timeline.lanes[MAIN]?.draft;
  if (draft && (draft.text || draft.thinking)) return true;
  return Object.values(timeline.tools).some((tool) => tool.status === "running");
}

/** This session's messages that the timeline does not show yet; those it shows leave the outbox. */
function useOutgoing(sessionId: string, timeline: Timeline) {
  const items = useOutbox((state) => state.items);
  const remove = useOutbox((state) => state.remove);
  const mine = items.filter((item) => item.sessionId === sessionId);
  const shown = new Set(timeline.queue.map((message) => message.id));
  for (const item of timeline.lanes[MAIN]?.items ?? []) {
    if (item.kind === "message") shown.add(item.message.id);
  }
  const arrived = mine.filter((item) => item.messageId !== null && shown.has(item.messageId));
  const key = arrived.map((item) => item.clientId).join(" ");
  useEffect(() => {
    if (key) remove(key.split(" "));
  }, [key, remove]);
  const rest = mine.filter((item) => !arrived.includes(item));
  return {
    failed: rest.filter((item) => item.state === "failed"),
    onTheWay: rest.filter((item) => item.state !== "failed"),
  };
}

function SentMessage({ item }: { item: Outgoing }) {
  const { t } = useTranslation();
  return (
    <article
      data-testid="user-message"
      data-pending="true"
      aria-label={t("chat.you")}
      className="mt-9 first:mt-0"
    >
      <div className="rounded-xl border border-line bg-panel px-4 py-2.5">
        <p className="text-[0.9375rem] leading-[1.55] font-[470] break-words whitespace-pre-wrap">
          {item.text}
        </p>
      </div>
      <p className="mt-1 pr-1 text-right text-xs text-faint">
        {item.state === "sending" ? t("chat.sending") : "\u00a0"}
      </p>
    </article>
  );
}

function Loading() {
  const { t } = useTranslation();
  return (
    <p role="status" className="flex items-center justify-center gap-2 py-24 text-faint">
      <span className="orbit" aria-hidden="true" />
      {t("app.loading")}
    </p>
  );
}

function Missing() {
  const { t } = useTranslation();
  return (
    <div className="m-auto max-w-sm p-8 text-center">
      <h1 className="font-serif text-xl">{t("chat.missingTitle")}</h1>
      <p className="mt-2 text-soft">{t("chat.missingText")}</p>
      <Link to="/" className="mt-4 inline-block text-accent underline underline-offset-4">
        {t("app.home")}
      </Link>
    </div>
  );
}
