/**
 * Characters that have no picture of their own but change how the rest is read: controls, marks of
 * the writing direction, blanks without width. In a command they could hide what it does.
 */
const HIDDEN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** The text with such characters written out. */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}}`,
  );
}
