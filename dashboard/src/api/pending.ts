import type { Problem } from "./types";

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
  "/api/sessions/{id}/compact/undo": { parameters: NoParameters; post: Act<ById> };
}
