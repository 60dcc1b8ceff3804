import type { Problem, Session } from "./types";

/**
 * Routes that the contract (api.md) fixes and the server's document does not have yet, in the form
 * of the generated ones. Each leaves this file when the document brings it: the compiler then
 * reports nothing, since both say the same.
 */
export interface Model {
  name: string;
  endpoint?: string | null;
  /** The one that answers now, for whoever has not chosen another. */
  current: boolean;
  /** The first of the chain. */
  preferred: boolean;
  health: "ok" | "overloaded" | "down";
  context_window?: number | null;
}

export type RuleEffect = "allow" | "ask" | "deny";

export interface Rule {
  id: string;
  effect: RuleEffect;
  /** `tool` or `tool(specifier)`. */
  rule: string;
  scope: "everyone" | "mine" | "session";
  created_at?: string | null;
  source?: string | null;
}

export interface Verdict {
  verdict: RuleEffect;
  reason: string;
  /** The rule that decided; its text, or all of it. */
  rule?: string | { rule?: string } | null;
}

export interface DryRun {
  event: string;
  tool?: string;
  arguments?: unknown;
}

export interface AuditEntry {
  id: string | number;
  created_at: string;
  [field: string]: unknown;
}

export interface Skill {
  name: string;
  description: string;
  mode: "inline" | "fork";
  source: "shipped" | "user";
  problems: string[];
}

export interface Memory {
  id: string;
  content: string;
  kind: "preference" | "fact" | "decision" | "reference";
  source?: { session_id?: string | null; message_id?: string | null; paper_id?: string | null };
  confidence?: number | null;
  pinned: boolean;
  created_at: string;
  last_used_at?: string | null;
}

export interface Page<T> {
  items: T[];
  next_cursor?: string | null;
}

interface Json<T> {
  headers: { [name: string]: unknown };
  content: { "application/json": T };
}

interface Refused {
  headers: { [name: string]: unknown };
  content: { "application/problem+json": Problem };
}

interface Nothing {
  headers: { [name: string]: unknown };
  content?: never;
}

interface ById {
  query?: never;
  header?: never;
  path: { id: string };
  cookie?: never;
}

interface NoParameters {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

interface Queried<Query> {
  query?: Query;
  header?: never;
  path?: never;
  cookie?: never;
}

interface Sent<T> {
  content: { "application/json": T };
}

interface Get<T, P = NoParameters> {
  parameters: P;
  requestBody?: never;
  responses: { 200: Json<T>; default: Refused };
}

interface Write<Body, T, P = NoParameters> {
  parameters: P;
  requestBody: Sent<Body>;
  responses: { 200: Json<T>; default: Refused };
}

interface Act<P> {
  parameters: P;
  requestBody?: never;
  responses: { 204: Nothing; default: Refused };
}

export interface PendingPaths {
  "/api/models": { parameters: NoParameters; get: Get<Page<Model>> };
  "/api/models/current": { parameters: NoParameters; put: Write<{ name: string }, unknown> };
  "/api/sessions/{id}/compact": { parameters: NoParameters; post: Act<ById> };
  "/api/sessions/{id}/compact/undo": { parameters: NoParameters; post: Act<ById> };
  "/api/permissions": {
    parameters: NoParameters;
    get: Get<Page<Rule>>;
    post: Write<{ effect: RuleEffect; rule: string; scope?: "everyone" | "mine" }, Rule>;
  };
  "/api/permissions/{id}": {
    parameters: NoParameters;
    patch: Write<{ effect?: RuleEffect; rule?: string }, Rule, ById>;
    delete: Act<ById>;
  };
  "/api/permissions/check": {
    parameters: NoParameters;
    post: Write<
      { tool: string; arguments: unknown; permission_mode: Session["permission_mode"] },
      Verdict
    >;
  };
  "/api/hooks": {
    parameters: NoParameters;
    get: Get<unknown>;
    put: Write<unknown, unknown>;
  };
  "/api/hooks/dry-run": { parameters: NoParameters; post: Write<DryRun, unknown> };
  "/api/audit": {
    parameters: NoParameters;
    get: Get<Page<AuditEntry>, Queried<{ cursor?: string; limit?: number }>>;
  };
  "/api/metrics": { parameters: NoParameters; get: Get<unknown> };
  "/api/skills": { parameters: NoParameters; get: Get<Page<Skill>> };
  "/api/memories": {
    parameters: NoParameters;
    get: Get<Page<Memory>, Queried<{ q?: string; limit?: number; cursor?: string }>>;
  };
  "/api/memories/{id}": {
    parameters: NoParameters;
    patch: Write<{ content?: string; pinned?: boolean; kind?: Memory["kind"] }, Memory, ById>;
    delete: Act<ById>;
  };
}
