// A small stand-in for the server, for screenshots and for tests of the dashboard alone. It speaks
// the contract (api.md) with a scripted agent and keeps everything in memory.
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent } from "./agent.mjs";
import { Surroundings } from "./routes.mjs";

const DIST = fileURLToPath(new URL("../../dist", import.meta.url));
const CSP =
  "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

export class Mock {
  constructor({ username = "ptolemy", password = "almagest", pace = 1, ...rest } = {}) {
    this.user = { username, password };
    this.settings = { llm: { configured: true }, ads: { configured: true }, ...rest.settings };
    this.setupToken = rest.setupToken ?? null;
    this.logins = new Set();
    this.failures = 0;
    this.sessions = new Map();
    this.messages = new Map();
    this.runs = new Map();
    this.questions = new Map();
    this.events = [];
    this.lastId = 1000;
    this.clients = new Set();
    this.openUserStreams = 0;
    this.maxUserStreams = 0;
    this.agent = new Agent(this, pace);
    this.around = new Surroundings(this);
    this.sandbox = rest.sandbox ?? "full";
  }

  async start(port = 0) {
    this.server = createServer((request, response) => {
      this.handle(request, response).catch((error) => {
        console.error(error);
        response.destroy();
      });
    });
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.heart = setInterval(() => {
      for (const client of this.clients) client.response.write("event: heartbeat\ndata: {}\n\n");
    }, 10_000);
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  async stop() {
    clearInterval(this.heart);
    this.agent.stopAll();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Cuts every stream, as a restart of the server would. */
  dropStreams() {
    for (const client of this.clients) client.response.destroy();
  }

  // --- Events ---

  emit(type, sessionId, data, runId) {
    this.lastId += 1;
    const event = {
      id: this.lastId,
      type,
      data: { ...data, session_id: sessionId, ...(runId ? { run_id: runId } : {}) },
    };
    this.events.push(event);
    for (const client of this.clients) {
      if (!client.sessionId || client.sessionId === sessionId) writeEvent(client.response, event);
    }
    return event;
  }

  touch(session, change) {
    Object.assign(session, change, { updated_at: new Date().toISOString() });
    this.emit("session_updated", session.id, { session: { ...session } });
  }

  /** Stores a message; `silent` for the results of calls, whose event is another. */
  addMessage(session, message, silent = false) {
    const full = {
      id: randomUUID(),
      session_id: session.id,
      created_at: new Date().toISOString(),
      ...message,
    };
    const list = this.messages.get(session.id);
    const at = list.findIndex((each) => each.id === full.id);
    if (at >= 0) list.splice(at, 1);
    list.push(full);
    if (!silent) this.emit("message", session.id, { message: full }, full.run_id);
    return full;
  }

  // --- HTTP ---

  async handle(request, response) {
    const url = new URL(request.url, "http://x");
    if (!url.pathname.startsWith("/api/")) return this.file(url.pathname, response);
    const body = await readBody(request);
    const login = /almagest_session=([^;]+)/.exec(request.headers.cookie ?? "")?.[1];
    const key = `${request.method} ${url.pathname}`;
    const reply = (status, data, headers = {}) => {
      response.writeHead(status, {
        ...(data === undefined
          ? {}
          : { "content-type": status < 400 ? "application/json" : "application/problem+json" }),
        ...headers,
      });
      response.end(data === undefined ? undefined : JSON.stringify(data));
    };
    const problem = (status, code, detail, headers) =>
      reply(status, { type: "about:blank", title: code, status, code, detail }, headers);
    const identity = {
      username: this.user.username,
      role: "admin",
      expires_at: new Date(Date.now() + 864e5).toISOString(),
    };

    if (key === "GET /api/health") {
      return reply(200, { status: "ok", version: "0.1.0", sandbox: this.sandbox });
    }
    if (key === "POST /api/auth/login") {
      if (this.failures >= 10)
        return problem(429, "throttled", "Too many attempts.", { "retry-after": "30" });
      if (body.username !== this.user.username || body.password !== this.user.password) {
        this.failures += 1;
        return problem(401, "invalid_credentials", "User name or password is wrong.");
      }
      this.failures = 0;
      const id = randomUUID();
      this.logins.add(id);
      return reply(200, identity, {
        "set-cookie": `almagest_session=${id}; HttpOnly; SameSite=Strict; Path=/`,
      });
    }
    if (key === "POST /api/auth/setup") {
      if (!this.setupToken || body.token !== this.setupToken)
        return problem(403, "invalid_token", "This link is used up.");
      this.user = { username: body.username, password: body.password };
      this.setupToken = null;
      return reply(200, { ...identity, username: body.username });
    }
    if (!this.logins.has(login)) return problem(401, "unauthorized", "Please log in.");
    if (key === "GET /api/auth/verify") return reply(200, identity);
    if (key === "POST /api/auth/logout") {
      this.logins.delete(login);
      return reply(204, undefined);
    }
    if (key === "GET /api/settings") return reply(200, this.settings);
    if (this.around.handle(request.method, url, body, reply, problem) !== false) return;
    if (key === "GET /api/questions") {
      const items = [...this.questions.values()].filter((q) => q.status === "open");
      return reply(200, { items });
    }
    if (key === "GET /api/events") return this.stream(request, response, url, null);
    if (key === "GET /api/search/history")
      return reply(200, { items: this.search(url.searchParams) });
    if (key === "GET /api/sessions") return reply(200, this.page(url.searchParams));
    if (key === "POST /api/sessions") return reply(201, this.createSession(body));

    let match = /^\/api\/questions\/([^/]+)\/answer$/.exec(url.pathname);
    if (match) {
      const question = this.questions.get(match[1]);
      if (question?.status !== "open") return problem(409, "conflict", "Already answered.");
      question.status = "answered";
      question.answer = body;
      this.emit(
        "question_closed",
        question.session_id,
        { id: question.id, status: "answered", answer: body },
        question.run_id,
      );
      this.agent.answered(question);
      return reply(200, question);
    }
    match = /^\/api\/runs\/([^/]+)(?:\/(cancel|continue))?$/.exec(url.pathname);
    if (match) {
      const run = this.runs.get(match[1]);
      if (!run) return problem(404, "not_found", "No such run.");
      if (match[2] === "cancel") this.agent.cancel(run.id);
      if (match[2] === "continue") {
        if (run.status !== "interrupted")
          return problem(409, "conflict", "The run is not interrupted.");
        this.agent.start(this.sessions.get(run.session_id), "Continue", [], run);
      }
      return reply(match[2] ? 202 : 200, run);
    }
    match = /^\/api\/sessions\/([^/]+)(?:\/(messages|events|runs|queue)(?:\/([^/]+))?)?$/.exec(
      url.pathname,
    );
    const session = match && this.sessions.get(match[1]);
    if (!session) return problem(404, "not_found", "No such session.");
    const [, , part, messageId] = match;
    if (!part) {
      if (request.method === "GET") return reply(200, session);
      if (request.method === "DELETE") {
        this.sessions.delete(session.id);
        return reply(204, undefined);
      }
      this.touch(session, body);
      return reply(200, session);
    }
    if (part === "messages") return reply(200, { items: this.messages.get(session.id) });
    if (part === "events") return this.stream(request, response, url, session);
    if (part === "runs") return reply(202, this.agent.submit(session, body));
    const queued = this.messages.get(session.id).find((m) => m.id === messageId && m.queued);
    if (!queued) return problem(409, "conflict", "The message has been taken up.");
    if (request.method === "PATCH") {
      return reply(200, this.addMessage(session, { ...queued, content: body.message }));
    }
    this.messages.set(
      session.id,
      this.messages.get(session.id).filter((m) => m !== queued),
    );
    this.touch(session, {});
    return reply(204, undefined);
  }

  createSession(body = {}) {
    const now = new Date().toISOString();
    const session = {
      id: randomUUID(),
      title: body.title ?? "New session",
      mode: "standard",
      permission_mode: "auto",
      model: body.model ?? null,
      created_at: now,
      updated_at: now,
      last_message: null,
      active_run_id: null,
      pinned: false,
      usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
    };
    this.sessions.set(session.id, session);
    this.messages.set(session.id, []);
    this.emit("session_updated", session.id, { session: { ...session } });
    return session;
  }

  page(params) {
    const all = [...this.sessions.values()].sort(
      (a, b) => Number(b.pinned) - Number(a.pinned) || b.updated_at.localeCompare(a.updated_at),
    );
    const from = Number(params.get("cursor") ?? 0);
    const limit = Number(params.get("limit") ?? 20);
    const next = from + limit < all.length ? String(from + limit) : null;
    return { items: all.slice(from, from + limit), next_cursor: next };
  }

  search(params) {
    const words = (params.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    for (const session of this.sessions.values()) {
      if (params.get("session_id") && params.get("session_id") !== session.id) continue;
      for (const message of this.messages.get(session.id)) {
        const text = message.content.toLowerCase();
        if (words.length === 0 || !words.every((word) => text.includes(word))) continue;
        const start = Math.max(0, text.indexOf(words[0]) - 40);
        const snippet = message.content.slice(start, start + 160);
        const highlights = words.flatMap((word) => {
          const at = snippet.toLowerCase().indexOf(word);
          const before = [...snippet.slice(0, at)].length;
          return at < 0 ? [] : [[before, [...word].length]];
        });
        hits.push({
          session_id: session.id,
          session_title: session.title,
          message_id: message.id,
          role: message.role,
          snippet,
          highlights,
          score: 1,
          created_at: message.created_at,
        });
      }
    }
    return hits.reverse().slice(0, Number(params.get("limit") ?? 20));
  }

  stream(request, response, url, session) {
    const wanted = url.searchParams.get("after") ?? request.headers["last-event-id"];
    const mine = this.events.filter((event) => !session || event.data.session_id === session.id);
    let after = wanted === null || wanted === undefined ? null : Number(wanted);
    if (after === null) {
      const start = mine.findLast((event) => event.type === "run_started");
      after = session ? (start ? start.id - 1 : Number.MAX_SAFE_INTEGER) : this.lastId;
    }
    const backlog = mine.filter((event) => event.id > after);
    const running = session?.active_run_id;
    if (session && backlog.length === 0 && !running) {
      response.writeHead(204);
      response.end();
      return;
    }
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    if (!session && url.searchParams.get("snapshot")) {
      const data = {
        last_event_id: this.lastId,
        sessions_running: [...this.sessions.values()]
          .filter((s) => s.active_run_id)
          .map((s) => s.id),
      };
      response.write(`event: snapshot\ndata: ${JSON.stringify(data)}\n\n`);
    } else response.write("event: heartbeat\ndata: {}\n\n");
    for (const event of backlog) writeEvent(response, event);
    if (session && !running) return response.end();
    const client = { response, sessionId: session?.id ?? null };
    this.clients.add(client);
    if (!session) {
      this.openUserStreams += 1;
      this.maxUserStreams = Math.max(this.maxUserStreams, this.openUserStreams);
    }
    response.on("close", () => {
      this.clients.delete(client);
      if (!session) this.openUserStreams -= 1;
    });
  }

  /** Ends the streams of a session that has nothing more to say. */
  endSessionStreams(sessionId) {
    for (const client of this.clients) if (client.sessionId === sessionId) client.response.end();
  }

  async file(path, response) {
    const name = normalize(path).replace(/^\/+/, "");
    const send = async (file, fallback) => {
      try {
        const bytes = await readFile(join(DIST, file));
        response.writeHead(200, {
          "content-type": TYPES[extname(file)] ?? "application/octet-stream",
          "content-security-policy": CSP,
          "x-content-type-options": "nosniff",
        });
        response.end(bytes);
      } catch {
        if (fallback) return send("index.html", false);
        response.writeHead(404);
        response.end();
      }
    };
    await send(name || "index.html", true);
  }
}

function writeEvent(response, event) {
  response.write(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event.data)}\n\n`);
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text ? JSON.parse(text) : {};
}
