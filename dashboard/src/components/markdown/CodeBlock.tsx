import { toJsxRuntime } from "hast-util-to-jsx-runtime";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import fortran from "highlight.js/lib/languages/fortran";
import json from "highlight.js/lib/languages/json";
import latex from "highlight.js/lib/languages/latex";
import python from "highlight.js/lib/languages/python";
import sql from "highlight.js/lib/languages/sql";
import { createLowlight } from "lowlight";
import { memo, useMemo } from "react";
import { Fragment, jsx, jsxs } from "react/jsx-runtime";
import { useTranslation } from "react-i18next";
import { CopyButton } from "../CopyButton";

// What astronomers paste: scripts, ADQL, BibTeX and LaTeX, old Fortran.
const lowlight = createLowlight({ bash, diff, fortran, json, latex, python, sql });
lowlight.registerAlias({
  bash: ["sh", "shell", "zsh"],
  latex: ["tex", "bibtex"],
  python: ["py"],
  sql: ["adql"],
});

/** Highlighting a very long listing would freeze the page. */
const LIMIT = 40_000;

export default memo(function CodeBlock({
  code,
  language,
  maxHeight = "",
  wrap = false,
}: {
  code: string;
  language: string;
  maxHeight?: string;
  wrap?: boolean;
}) {
  const { t } = useTranslation();
  const content = useMemo(() => {
    if (!lowlight.registered(language) || code.length > LIMIT) return code;
    return toJsxRuntime(lowlight.highlight(language, code), { Fragment, jsx, jsxs });
  }, [code, language]);
  return (
    <div className="code-block group/code relative font-sans">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines must scroll by keyboard too.
        tabIndex={0}
        className={`overflow-auto rounded-lg border border-line bg-sunken px-3.5 py-2.5 font-mono text-[0.78rem] leading-[1.6] ${maxHeight} ${wrap ? "[overflow-wrap:anywhere] whitespace-pre-wrap" : ""}`}
      >
        <code>{content}</code>
      </pre>
      <CopyButton
        text={code}
        label={t("chat.copyCode")}
        className="absolute top-1.5 right-1.5 bg-sunken opacity-0 group-focus-within/code:opacity-100 group-hover/code:opacity-100"
      />
    </div>
  );
});
