import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { copyText } from "../copy";

/** A formula that gives its LaTeX to the clipboard when it is clicked. */
export function Formula({
  latex,
  display,
  children,
}: {
  latex: string;
  display: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a shortcut for the mouse; the text itself can be selected and copied.
    // biome-ignore lint/a11y/noStaticElementInteractions: as above.
    <span
      className={`${display ? "block" : ""} cursor-copy rounded-sm hover:bg-accent-soft ${copied ? "bg-accent-soft" : ""}`}
      title={copied ? t("app.copied") : t("chat.copyFormula")}
      data-latex={latex}
      onMouseLeave={() => setCopied(false)}
      onClick={() => {
        // Whoever drags over a formula wants to select it.
        if (getSelection()?.isCollapsed === false) return;
        void copyText(display ? `\\[ ${latex.trim()} \\]` : `$${latex}$`).then(setCopied);
      }}
    >
      {children}
    </span>
  );
}
