import type { TFunction } from "i18next";
import type { Session } from "@/api/types";

/** What the server calls a session before its first message. */
const UNTITLED = "New session";

/** A session's title in the reader's language as long as it has none of its own. */
export function titleOf(session: Pick<Session, "title">, t: TFunction): string {
  return session.title && session.title !== UNTITLED ? session.title : t("sidebar.untitled");
}
