import "katex/dist/katex.min.css";
import type { Element, Root } from "hast";
import { memo } from "react";
import ReactMarkdown, { type Components, type Options } from "react-markdown";
import rehypeKatex from "rehype-katex";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import { Code } from "./Code";
import { Formula } from "./Formula";

/** Only these may be followed; anything else (javascript:, data:, file:) becomes plain text. */
export function safeUrl(url: string): string {
  return /^(?:https?:|mailto:)/i.test(url.trim()) || /^#/.test(url) ? url : "";
}

/** Keeps the source of each formula for copying, before KaTeX replaces it. */
function rehypeKeepLatex() {
  return (tree: Root) => {
    const walk = (node: Root | Element, insidePre: boolean): void => {
      for (const child of node.children) {
        if (child.type !== "element") continue;
        const classes = child.properties["className"];
        if (
          Array.isArray(classes) &&
          classes.some((c) => c === "math-inline" || c === "math-display")
        ) {
          const source = child.children.map((c) => (c.type === "text" ? c.value : "")).join("");
          const display = insidePre || classes.includes("math-display");
          const formula: Element = { ...child };
          child.tagName = "span";
          child.properties = { dataLatex: source, dataDisplay: display ? "true" : "false" };
          child.children = [formula];
        } else {
          walk(child, child.tagName === "pre");
        }
      }
    };
    walk(tree, false);
  };
}

const components: Components = {
  a({ href, children }) {
    if (!href) return <span>{children}</span>;
    if (href.startsWith("#")) return <a href={href}>{children}</a>;
    return (
      <a href={href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    );
  },
  // A picture from anywhere would tell its server who reads; the policy blocks it anyway.
  img({ alt, src }) {
    return src ? (
      <a href={String(src)} target="_blank" rel="noopener noreferrer">
        {alt || String(src)}
      </a>
    ) : (
      <span>{alt}</span>
    );
  },
  table({ children }) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table must scroll by keyboard too.
      <section className="table-scroll" tabIndex={0}>
        <table>{children}</table>
      </section>
    );
  },
  pre({ children, node }) {
    const child = node?.children[0];
    if (child?.type !== "element" || child.tagName !== "code") return <>{children}</>;
    const code = child.children.map((c) => (c.type === "text" ? c.value : "")).join("");
    const classes = child.properties["className"];
    const language = Array.isArray(classes)
      ? classes
          .map(String)
          .find((c) => c.startsWith("language-"))
          ?.slice(9)
      : undefined;
    return <Code code={code.replace(/\n$/, "")} language={language ?? ""} />;
  },
  span({ node, children, ...rest }) {
    const latex = node?.properties["dataLatex"];
    if (typeof latex !== "string") return <span {...rest}>{children}</span>;
    return (
      <Formula latex={latex} display={node?.properties["dataDisplay"] === "true"}>
        {children}
      </Formula>
    );
  },
};

const remarkPlugins: Options["remarkPlugins"] = [remarkGfm, remarkMath];
const rehypePlugins: Options["rehypePlugins"] = [
  rehypeKeepLatex,
  [
    rehypeKatex,
    { throwOnError: false, strict: "ignore", trust: false, maxExpand: 500, maxSize: 30 },
  ],
];

function PieceView({ text, live }: { text: string; live: boolean }) {
  return (
    <div className={`prose-piece ${live ? "is-live" : ""}`}>
      <ReactMarkdown
        remarkPlugins={remarkPlugins}
        rehypePlugins={rehypePlugins}
        components={components}
        urlTransform={safeUrl}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}

export default memo(PieceView);
