import type { Session } from "@/api/types";

export type GroupName = "pinned" | "today" | "yesterday" | "week" | "older";

const DAY = 86_400_000;

/** The sessions under the headings of the list, empty ones left out. */
export function groupSessions(
  sessions: readonly Session[],
  now = new Date(),
): { name: GroupName; sessions: Session[] }[] {
  const midnight = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const groups: Record<GroupName, Session[]> = {
    pinned: [],
    today: [],
    yesterday: [],
    week: [],
    older: [],
  };
  for (const session of sessions) {
    const time = Date.parse(session.updated_at);
    if (session.pinned) groups.pinned.push(session);
    else if (time >= midnight) groups.today.push(session);
    else if (time >= midnight - DAY) groups.yesterday.push(session);
    else if (time >= midnight - 6 * DAY) groups.week.push(session);
    else groups.older.push(session);
  }
  return (Object.keys(groups) as GroupName[])
    .map((name) => ({ name, sessions: groups[name] }))
    .filter((group) => group.sessions.length > 0);
}
