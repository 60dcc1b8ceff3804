import type { SendKey } from "@/app/preferences";

interface Key {
  key: string;
  keyCode: number;
  isComposing: boolean;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/**
 * Whether a key sends the message. An Enter that ends a composition (Chinese, Japanese, Korean
 * input) never does: browsers report it with `isComposing`, Safari after the composition has
 * ended, with key code 229.
 */
export function isSendKey(event: Key, sendKey: SendKey): boolean {
  if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return false;
  if (event.shiftKey || event.altKey) return false;
  const mod = event.ctrlKey || event.metaKey;
  return sendKey === "mod" ? mod : true;
}
