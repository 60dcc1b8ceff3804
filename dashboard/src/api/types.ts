import type { components } from "./schema.gen";

type Schemas = components["schemas"];

export type Session = Schemas["Session"];
export type SessionPatch = Schemas["SessionPatch"];
export type SessionPage = Schemas["SessionPage"];
export type Message = Schemas["Message"];
export type ToolCall = Schemas["ToolCall"];
export type Run = Schemas["Run"];
export type RunRequest = Schemas["RunRequest"];
export type RunAccepted = Schemas["RunAccepted"];
export type Usage = Schemas["Usage"];
export type Question = Schemas["Question"];
/** The client's types lose the pairs on the way from a response, so they are lists here. */
export type HistoryHit = Omit<Schemas["HistoryHit"], "highlights"> & { highlights: number[][] };
export type Problem = Schemas["Problem"];
export type Identity = Schemas["LoggedIn"];
export type Health = Schemas["Health"];
export type Settings = Schemas["SettingsView"];
export type PermissionMode = Schemas["PermissionMode"];
export type Model = Schemas["ModelStatus"];
export type Rule = Schemas["PermissionRule"];
export type RuleEffect = Schemas["RuleEffect"];
export type Verdict = Schemas["RuleVerdict"];
export type Todo = Schemas["Todo"];
export type Decision = Schemas["Decision"];
export type QuestionAnswer = Schemas["Answer"];
export type HookEvent = Schemas["HookEvent"];
export type TrialResult = Schemas["TrialResult"];
export type AuditRow = Schemas["AuditRow"];
export type AuditPage = Schemas["AuditPage"];
type MetricsData = Schemas["MetricsData"];
export type Counter = MetricsData["counters"][number];
export type Histogram = MetricsData["histograms"][number];
export type Skill = Schemas["Skill"];
export type Memory = Schemas["Memory"];
export type MemoryKind = Schemas["MemoryKind"];
