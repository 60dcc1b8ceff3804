import { lazy, Suspense } from "react";

const CodeBlock = lazy(() => import("./CodeBlock"));

interface Props {
  code: string;
  language: string;
  maxHeight?: string;
  /** Breaks long lines, where none of them may stay out of sight. */
  wrap?: boolean;
}

/** A listing; the highlighter loads with the first one. */
export function Code(props: Props) {
  return (
    <Suspense
      fallback={
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: as in the block that follows.
          tabIndex={0}
          className="overflow-auto rounded-lg border border-line bg-sunken px-3.5 py-2.5 font-mono text-[0.78rem] leading-[1.6]"
        >
          {props.code}
        </pre>
      }
    >
      <CodeBlock {...props} />
    </Suspense>
  );
}
