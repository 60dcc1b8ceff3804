import { lazy, memo, Suspense, useMemo } from "react";
import { normalizeMath, splitBlocks } from "@/features/timeline/math";

const Piece = lazy(() => import("./Piece"));

/**
 * Markdown with mathematics. Finished paragraphs are drawn once while the rest still streams; the
 * parser and KaTeX load with the first answer.
 */
export const Markdown = memo(function Markdown({
  text,
  live = false,
  className = "",
}: {
  text: string;
  live?: boolean;
  className?: string;
}) {
  const pieces = useMemo(() => splitBlocks(normalizeMath(text)), [text]);
  return (
    <div className={`prose ${className}`}>
      <Suspense fallback={<div className="whitespace-pre-wrap">{text}</div>}>
        {pieces.map((piece, index) => (
          <Piece
            // biome-ignore lint/suspicious/noArrayIndexKey: pieces only grow at the end.
            key={index}
            text={piece}
            live={live && index === pieces.length - 1}
          />
        ))}
      </Suspense>
    </div>
  );
});
