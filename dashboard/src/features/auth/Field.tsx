import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/Button";

/** A labelled input whose error is tied to it. A password can be shown. */
export function Field({
  label,
  error,
  type = "text",
  testId,
  ...rest
}: ComponentProps<"input"> & { label: string; error?: string | undefined; testId?: string }) {
  const { t } = useTranslation();
  const id = useId();
  const [shown, setShown] = useState(false);
  const password = type === "password";
  return (
    <div>
      <label htmlFor={id} className="block text-[0.8125rem] font-medium text-soft">
        {label}
      </label>
      <div className="relative mt-1.5">
        <input
          id={id}
          type={password && shown ? "text" : type}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          data-testid={testId}
          className="h-10 w-full rounded-lg border border-line-strong bg-page px-3 text-[0.9375rem] text-ink outline-none placeholder:text-faint focus:border-accent focus:ring-2 focus:ring-accent/25 aria-invalid:border-bad"
          {...rest}
        />
        {password && (
          <IconButton
            label={t(shown ? "auth.hidePassword" : "auth.showPassword")}
            className="absolute top-1 right-1"
            onClick={() => setShown(!shown)}
          >
            {shown ? <EyeOff size={16} /> : <Eye size={16} />}
          </IconButton>
        )}
      </div>
      {error && (
        <p id={`${id}-error`} className="mt-1.5 text-[0.8125rem] text-bad">
          {error}
        </p>
      )}
    </div>
  );
}
