import { queryOptions, useQuery } from "@tanstack/react-query";
import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import type { Skill } from "@/api/types";
import { Loaded, Notice, Page } from "@/features/settings/Page";

const skillsQuery = queryOptions({
  queryKey: ["skills"],
  queryFn: async (): Promise<Skill[]> => (await body(api.GET("/api/skills"))).items,
});

export default function SkillsPage() {
  const { t } = useTranslation();
  const skills = useQuery(skillsQuery);
  return (
    <Page title={t("skills.title")} text={t("skills.text")}>
      <Loaded query={skills}>
        {(list) =>
          list.length === 0 ? (
            <Notice>{t("pages.none")}</Notice>
          ) : (
            <ul className="mt-8 divide-y divide-line border-y border-line">
              {list.map((skill) => (
                <Row key={`${skill.source} ${skill.name}`} skill={skill} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Page>
  );
}

function Row({ skill }: { skill: Skill }) {
  const { t } = useTranslation();
  const problems = skill.problems ?? [];
  return (
    <li className="py-3.5" data-testid="skill">
      <div className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="font-mono text-[0.8125rem] font-medium">{skill.name}</h2>
        <p className="text-xs text-faint">
          {t(`skills.sources.${skill.source}`)} · {t(`skills.modes.${skill.mode}`)}
        </p>
      </div>
      <p className="mt-1 text-soft">{skill.description}</p>
      {problems.length > 0 && (
        <ul aria-label={t("skills.problems")} className="mt-2 space-y-1">
          {problems.map((problem) => (
            <li key={problem} className="flex gap-2 text-[0.8125rem] text-bad">
              <TriangleAlert size={14} className="mt-[3px] flex-none" aria-hidden="true" />
              {problem}
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}
