import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { AddedPaper } from "@/api/types";
import { Button } from "@/components/Button";
import { Dialog } from "@/components/Dialog";
import { FIELD, useAttempt } from "@/features/settings/Page";
import { splitIdentifiers } from "./filter";
import { addPapers, refreshLibrary } from "./queries";

/** Many identifiers in, an answer for each; those that failed stay to be put right. */
export function AddPapers({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { busy, failure, attempt } = useAttempt();
  const [text, setText] = useState("");
  const [added, setAdded] = useState(0);
  const [refused, setRefused] = useState<AddedPaper[]>([]);
  const identifiers = splitIdentifiers(text);
  const add = async () => {
    const left = new Set(identifiers);
    const refusals: AddedPaper[] = [];
    setAdded(0);
    setRefused([]);
    const sent = await attempt(() =>
      addPapers(identifiers, (answers) => {
        for (const answer of answers) {
          if (answer.error) refusals.push(answer);
          else left.delete(answer.identifier);
        }
        setRefused([...refusals]);
        setAdded(identifiers.length - left.size - refusals.length);
      }),
    );
    setAdded(identifiers.length - left.size);
    setText([...left].join("\n"));
    await refreshLibrary(client);
    if (sent && left.size === 0) onClose();
  };
  return (
    <Dialog title={t("library.add")} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <p className="mb-3 text-[0.8125rem]">{t("library.addText")}</p>
        <textarea
          autoFocus
          aria-label={t("library.identifiers")}
          placeholder={"2023Natur.618...39G\narXiv:2303.14849\n10.1038/s41586-023-05951-7"}
          value={text}
          readOnly={busy}
          data-testid="library-identifiers"
          onChange={(event) => setText(event.target.value)}
          className={`block field-sizing-content max-h-64 min-h-24 w-full resize-none py-2 font-mono text-xs ${FIELD}`}
        />
        <div role="status" className="mt-2 text-[0.8125rem]">
          {busy && (
            <p className="flex items-center gap-2 text-faint">
              <span className="orbit" aria-hidden="true" />
              {t("library.looking", { count: identifiers.length })}
            </p>
          )}
          {!busy && added > 0 && (
            <p className="text-good">{t("library.added", { count: added })}</p>
          )}
          {refused.length > 0 && (
            <ul className="mt-1 max-h-40 space-y-1 overflow-y-auto" data-testid="library-refused">
              {refused.map((answer) => (
                <li key={answer.identifier}>
                  <span className="font-mono text-xs text-ink [overflow-wrap:anywhere]">
                    {answer.identifier}
                  </span>
                  <span className="block text-bad">{answer.error}</span>
                </li>
              ))}
            </ul>
          )}
        </div>
        {failure && (
          <p role="alert" className="mt-2 text-bad">
            {failure}
          </p>
        )}
        <div className="mt-5 flex justify-end gap-2">
          <Button onClick={onClose}>{t(added > 0 ? "app.close" : "app.cancel")}</Button>
          <Button
            type="submit"
            look="primary"
            data-testid="library-add-submit"
            disabled={busy || identifiers.length === 0}
          >
            {identifiers.length > 1
              ? t("library.addMany", { count: identifiers.length })
              : t("library.addOne")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
