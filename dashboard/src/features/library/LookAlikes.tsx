import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { LookAlikes as Pair, Paper } from "@/api/types";
import { Button } from "@/components/Button";
import { useAttempt } from "@/features/settings/Page";
import { keepApart, lookAlikesQuery, mergePapers, refreshLibrary } from "./queries";

/** Papers that may be one: closed until somebody looks, absent when there are none. */
export function LookAlikes() {
  const { t } = useTranslation();
  const pairs = useQuery(lookAlikesQuery).data ?? [];
  if (pairs.length === 0) return null;
  return (
    <details data-testid="library-look-alikes" className="mt-4 rounded border border-line">
      <summary className="cursor-pointer px-3 py-2 text-[0.8125rem] text-soft hover:text-ink">
        {t("library.lookAlikes", { count: pairs.length })}
      </summary>
      <ul className="divide-y divide-line border-t border-line px-3">
        {pairs.map((pair) => (
          <Suggestion key={pair.papers.map((paper) => paper.id).join()} pair={pair} />
        ))}
      </ul>
    </details>
  );
}

function Suggestion({ pair }: { pair: Pair }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { busy, failure, attempt } = useAttempt();
  const [kept, other] = pair.papers;
  if (!kept || !other) return null;
  const settle = (work: typeof mergePapers) =>
    attempt(async () => {
      await work(kept.id, other.id);
      await refreshLibrary(client);
    });
  return (
    <li className="flex flex-wrap items-center gap-3 py-2 text-xs">
      <div className="min-w-48 flex-1">
        <p className="font-serif text-[0.875rem] leading-snug">{kept.title}</p>
        {pair.papers.map((paper) => (
          <p key={paper.id} className="mt-0.5 text-soft [overflow-wrap:anywhere]">
            {name(paper)}
          </p>
        ))}
      </div>
      <Button disabled={busy} onClick={() => void settle(mergePapers)}>
        {t("library.merge")}
      </Button>
      <Button disabled={busy} onClick={() => void settle(keepApart)}>
        {t("library.keepApart")}
      </Button>
      {failure && (
        <p role="alert" className="w-full text-bad">
          {failure}
        </p>
      )}
    </li>
  );
}

/** What tells the two from each other. */
function name(paper: Paper): string {
  const identifier = paper.bibcode ?? paper.doi ?? paper.arxiv_id;
  return [paper.published_as ?? paper.venue, paper.year, identifier].filter(Boolean).join(" · ");
}
