import { type ReactNode, useEffect, useId, useRef } from "react";

/**
 * A modal dialog on the browser's own `<dialog>`: focus stays inside, Escape closes it, focus
 * returns. (Radix' modal injects a style element, which the server's policy forbids.)
 */
export function Dialog({
  title,
  children,
  onClose,
}: {
  title: string;
  children: ReactNode;
  onClose: () => void;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      className="w-[min(26rem,calc(100vw-2rem))] rounded-xl border border-line bg-raised p-0 text-ink shadow-card"
    >
      <div className="p-5">
        <h2 id={titleId} className="text-[0.9375rem] font-semibold">
          {title}
        </h2>
        <div className="mt-2 text-soft">{children}</div>
      </div>
    </dialog>
  );
}
