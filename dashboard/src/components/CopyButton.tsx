import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "./Button";
import { copyText } from "./copy";

export function CopyButton({
  text,
  label,
  className = "",
}: {
  text: string;
  label: string;
  className?: string;
}) {
  const { t } = useTranslation();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? t("app.copied") : label}
      className={`size-7! ${className}`}
      onClick={() => void copyText(text).then(setCopied)}
    >
      {copied ? <Check size={14} className="text-good" /> : <Copy size={14} />}
    </IconButton>
  );
}
