import type { Problem, Question } from "./types";

/**
 * Routes that the contract (api.md) fixes and the server's document does not have yet, in the form
 * of the generated ones. Each leaves this file when the document brings it: the compiler then
 * reports nothing, since both say the same.
 */
export type Decision = "once" | "session" | "always" | "deny";

export type QuestionAnswer = { answer: string } | { decision: Decision; comment?: string };

interface Json<T> {
  headers: { [name: string]: unknown };
  content: { "application/json": T };
}

interface Refused {
  headers: { [name: string]: unknown };
  content: { "application/problem+json": Problem };
}

interface NoParameters {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

export interface PendingPaths {
  "/api/questions": {
    parameters: NoParameters;
    get: {
      parameters: Omit<NoParameters, "query"> & { query?: { status?: Question["status"] } };
      requestBody?: never;
      responses: { 200: Json<{ items: Question[] }>; default: Refused };
    };
  };
  "/api/questions/{id}/answer": {
    parameters: NoParameters;
    post: {
      parameters: Omit<NoParameters, "path"> & { path: { id: string } };
      requestBody: { content: { "application/json": QuestionAnswer } };
      responses: { 200: Json<Question>; default: Refused };
    };
  };
}
