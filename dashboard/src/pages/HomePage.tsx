import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { ApiError } from "@/api/client";
import { useTitle } from "@/app/title";
import { Markdown } from "@/components/markdown/Markdown";
import { Composer } from "@/features/composer/Composer";
import { NEW_DRAFT, useDrafts } from "@/features/composer/drafts";
import { send } from "@/features/composer/outbox";
import { ModelMenu } from "@/features/models/ModelMenu";
import { ThinkingSwitch } from "@/features/models/ThinkingSwitch";
import { createSession } from "@/features/sessions/queries";

/** Where a new session begins. The session itself is made with the first question. */
export default function HomePage() {
  const { t } = useTranslation();
  useTitle("");
  const client = useQueryClient();
  const navigate = useNavigate();
  const write = useDrafts((state) => state.write);
  const [failure, setFailure] = useState<string | null>(null);
  const [model, setModel] = useState<string | null>(null);

  const start = async (text: string) => {
    setFailure(null);
    try {
      const session = await createSession(client, model ? { model } : {});
      void send(session.id, text);
      await navigate(`/s/${session.id}`);
    } catch (error) {
      write(NEW_DRAFT, text);
      const detail = error instanceof ApiError ? error.message : t("app.unreachable");
      setFailure(t("chat.sendFailed", { detail }));
    }
  };

  const examples = [t("home.example1"), t("home.example2"), t("home.example3"), t("home.example4")];
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">
      <div className="m-auto w-full max-w-[44rem] px-5 py-16">
        <h1 className="font-serif text-[2rem] leading-tight font-[440] tracking-[-0.018em]">
          {t("home.title")}
        </h1>
        <p className="mt-2.5 mb-7 max-w-[36rem] text-[0.9375rem] text-soft">{t("home.text")}</p>
        <Composer
          draftKey={NEW_DRAFT}
          runId={null}
          onSend={(text) => void start(text)}
          error={failure}
        >
          <ModelMenu chosen={model} onChoose={setModel} />
          <ThinkingSwitch />
        </Composer>
        <h2 className="mt-9 mb-1 text-xs font-medium text-faint">{t("home.examples")}</h2>
        <ul className="divide-y divide-line border-y border-line">
          {examples.map((example) => (
            <li key={example}>
              <button
                type="button"
                className="w-full px-1 py-2.5 text-left transition-colors hover:text-accent"
                onClick={() => write(NEW_DRAFT, example.replaceAll("$", ""))}
              >
                <Markdown text={example} className="prose-small text-inherit!" />
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
