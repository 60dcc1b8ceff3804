import createClient from "openapi-fetch";
import type { paths } from "./schema.gen";
import type { Problem } from "./types";

/** A request that the server refused, with what it said about it (RFC 9457). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly problem: Problem | null;
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfter: number | null;

  constructor(status: number, problem: Problem | null, retryAfter: number | null) {
    super(problem?.detail || problem?.title || `HTTP ${status}`);
    this.name = "ApiError";
    this.status = status;
    this.code = problem?.code ?? "";
    this.problem = problem;
    this.retryAfter = retryAfter;
  }

  /** What is wrong with one field of the body, by its name. */
  field(name: string): string | undefined {
    return this.problem?.errors?.find((error) => error.pointer.replace(/^#?\//, "") === name)
      ?.detail;
  }
}

type Listener = () => void;
const expiredListeners = new Set<Listener>();

/** Calls back whenever a request says that the login is over. */
export function onSessionExpired(listener: Listener): () => void {
  expiredListeners.add(listener);
  return () => expiredListeners.delete(listener);
}

export function reportExpired(): void {
  for (const listener of expiredListeners) listener();
}

export const api = createClient<paths>({
  baseUrl: globalThis.location?.origin ?? "",
  credentials: "same-origin",
  // Looked up on each call, so that tests can put their own in place.
  fetch: (request) => globalThis.fetch(request),
});

api.use({
  onResponse({ response, schemaPath }) {
    // A wrong password is also a 401, but it ends nothing.
    if (response.status === 401 && schemaPath !== "/api/auth/login") reportExpired();
    return undefined;
  },
});

interface Result<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

function toError(result: Result<unknown>): ApiError {
  const problem =
    typeof result.error === "object" && result.error !== null ? (result.error as Problem) : null;
  return new ApiError(
    result.response.status,
    problem,
    retryAfterSeconds(result.response.headers.get("retry-after")),
  );
}

/** The body of a successful answer; throws `ApiError` otherwise. */
export async function body<T>(request: Promise<Result<T>>): Promise<NonNullable<T>> {
  const result = await request;
  if (!result.response.ok || result.data === undefined || result.data === null) {
    throw toError(result);
  }
  return result.data;
}

/** Waits for an answer whose body does not matter; throws `ApiError` when it is a refusal. */
export async function done(request: Promise<Result<unknown>>): Promise<void> {
  const result = await request;
  if (!result.response.ok) throw toError(result);
}

/** `Retry-After` as seconds from now; both of its forms (RFC 9110, 10.2.3). */
export function retryAfterSeconds(value: string | null, now = Date.now()): number | null {
  if (!value) return null;
  if (/^\d+$/.test(value.trim())) return Number(value);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
