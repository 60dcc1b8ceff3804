import { ArrowUp, ListPlus, Square } from "lucide-react";
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, api, done } from "@/api/client";
import { usePreferences } from "@/app/preferences";
import { MOD } from "@/components/format";
import { useDrafts } from "./drafts";
import { isSendKey } from "./keys";

/**
 * Where one writes. Its text lives here and in the store of drafts, apart from the timeline, so
 * that typing never waits for a long conversation to draw.
 */
export function Composer({
  draftKey,
  runId,
  waiting = false,
  onSend,
  error,
  children,
}: {
  draftKey: string;
  /** The run that is going, if any: then a message waits, and there is something to stop. */
  runId: string | null;
  /** The run waits for an answer of the user. */
  waiting?: boolean;
  onSend: (text: string) => void;
  error?: string | null;
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  const text = useDrafts((state) => state.texts[draftKey] ?? "");
  const write = useDrafts((state) => state.write);
  const sendKey = usePreferences((state) => state.sendKey);
  const ref = useRef<HTMLTextAreaElement>(null);
  const hintId = useId();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text.
  useLayoutEffect(() => {
    const area = ref.current;
    if (!area) return;
    area.style.height = "0";
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new page wants the cursor here.
  useEffect(() => {
    // On a touch screen this would raise the keyboard over the page.
    if (matchMedia("(hover: hover)").matches) ref.current?.focus({ preventScroll: true });
  }, [draftKey]);

  const submit = () => {
    const message = text.trim();
    if (!message) return;
    write(draftKey, "");
    onSend(message);
  };

  const label = t(runId ? "chat.sendQueued" : "chat.send");
  return (
    <form
      className="rounded-2xl border border-line-strong bg-raised shadow-card transition-colors focus-within:border-accent"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <textarea
        ref={ref}
        rows={1}
        value={text}
        aria-label={t("chat.composerLabel")}
        aria-describedby={hintId}
        placeholder={t(
          waiting ? "ask.placeholder" : runId ? "chat.placeholderRunning" : "chat.placeholder",
        )}
        data-testid="composer"
        onChange={(event) => write(draftKey, event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          const { isComposing } = event.nativeEvent;
          if (!isSendKey({ ...pickKeys(event), isComposing }, sendKey)) return;
          event.preventDefault();
          submit();
        }}
        className="block max-h-[40vh] min-h-[3.25rem] w-full resize-none bg-transparent px-4 pt-3.5 pb-1 text-[0.9375rem] leading-[1.55] outline-none placeholder:text-faint"
      />
      <div className="flex items-center gap-1 px-2.5 pb-2.5">
        {children}
        <p
          id={hintId}
          className="min-w-0 flex-1 truncate px-1.5 text-right text-xs text-faint max-md:invisible"
        >
          {t(sendKey === "mod" ? "chat.hintMod" : "chat.hintEnter", { mod: MOD })}
        </p>
        {runId && <StopButton key={runId} runId={runId} />}
        <button
          type="submit"
          aria-label={label}
          title={label}
          disabled={!text.trim()}
          data-testid="send"
          className="inline-flex size-8 items-center justify-center rounded-lg bg-accent text-on-accent transition-colors hover:bg-accent-strong disabled:bg-sunken disabled:text-faint"
        >
          {runId ? <ListPlus size={17} /> : <ArrowUp size={17} />}
        </button>
      </div>
      {error && (
        <p role="alert" className="border-t border-line px-4 py-2 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </form>
  );
}

function pickKeys(event: React.KeyboardEvent) {
  const { key, keyCode, shiftKey, altKey, ctrlKey, metaKey } = event;
  return { key, keyCode, shiftKey, altKey, ctrlKey, metaKey };
}

function StopButton({ runId }: { runId: string }) {
  const { t } = useTranslation();
  const [stopping, setStopping] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const stop = async () => {
    setStopping(true);
    setFailure(null);
    try {
      await done(api.POST("/api/runs/{id}/cancel", { params: { path: { id: runId } } }));
    } catch (error) {
      setStopping(false);
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("chat.stopFailed", { detail }));
    }
  };
  return (
    <>
      {failure && (
        <span role="alert" className="truncate text-xs text-bad">
          {failure}
        </span>
      )}
      <button
        type="button"
        data-testid="stop"
        disabled={stopping}
        onClick={() => void stop()}
        className="inline-flex h-8 items-center gap-1.5 rounded-lg border border-line-strong px-2.5 text-[0.8125rem] font-medium text-ink transition-colors hover:border-bad hover:text-bad disabled:text-faint"
      >
        <Square size={11} fill="currentColor" aria-hidden="true" />
        {t(stopping ? "chat.stopping" : "chat.stop")}
      </button>
    </>
  );
}
