import type { Problem } from "./types";

/** A trial of the hooks of an event; `payload` replaces fields of the made-up input. */
export interface Trial {
  event: string;
  payload?: Record<string, unknown>;
}

export interface TrialResult {
  name: string;
  command: string;
  decision: string;
  detail?: string | null;
  /** What the model would read beside the rest. */
  context?: string | null;
  /** The arguments that it would put in place. */
  arguments?: unknown;
  exit_code?: number | null;
  stdout: string;
  stderr: string;
  ms: number;
}

export interface HookList {
  /** `hooks.json` as it is. */
  document: unknown;
  /** Events in it that do not exist; their hooks never run. */
  ignored_events: string[];
}

export interface AuditRow {
  id: string;
  user_id: string;
  session_id?: string | null;
  run_id?: string | null;
  tool_call_id?: string | null;
  event: string;
  tool?: string | null;
  decision: string;
  summary: string;
  ms?: number | null;
  created_at: string;
}

export interface Counter {
  name: string;
  labels: Record<string, string>;
  value: number;
}

export interface Histogram {
  name: string;
  labels: Record<string, string>;
  count: number;
  sum_seconds: number;
  buckets: { le: number; count: number }[];
}

export interface MetricsData {
  since: string;
  counters: Counter[];
  histograms: Histogram[];
}

export interface Skill {
  name: string;
  description: string;
  mode: "inline" | "fork";
  source: "shipped" | "user";
  problems: string[];
  /** Its folder as file tools name it. */
  folder?: string;
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

/**
 * Routes that the contract (api.md) fixes and the server's document does not have yet, in the form
 * of the generated ones. Each leaves this file when the document brings it: the compiler then
 * reports nothing, since both say the same.
 */
export interface PendingPaths {
  "/api/sessions/{id}/compact": { parameters: NoParameters; post: Act<ById> };
  "/api/sessions/{id}/compact/undo": { parameters: NoParameters; post: Act<ById> };
  "/api/hooks": {
    parameters: NoParameters;
    get: Get<HookList>;
    put: Write<unknown, HookList>;
  };
  "/api/hooks/dry-run": { parameters: NoParameters; post: Write<Trial, { items: TrialResult[] }> };
  "/api/audit": {
    parameters: NoParameters;
    get: Get<Page<AuditRow>, Queried<{ cursor?: string; limit?: number }>>;
  };
  "/api/metrics": { parameters: NoParameters; get: Get<MetricsData> };
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
