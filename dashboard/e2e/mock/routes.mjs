// The mock's models, rules, hooks, records and compaction: what surrounds the agent.
import { randomUUID } from "node:crypto";

const ago = (minutes) => new Date(Date.now() - minutes * 60_000).toISOString();

export class Surroundings {
  constructor(mock) {
    this.mock = mock;
    this.models = [
      model("demo-model", { current: true, preferred: true }),
      model("glm-astro", { endpoint: "models.example.org", health: "overloaded" }),
      model("llama-local", { endpoint: "127.0.0.1:11434", context_window: 32768 }),
      model("far-away", { endpoint: "far.example.org", health: "down" }),
    ];
    this.rules = [
      rule("allow", "run_bash(git log:*)", "mine", "answer"),
      rule("ask", "file_write(papers/**)", "everyone", "written"),
      rule("deny", "run_bash(rm:*)", "everyone", "written"),
      rule("allow", "run_bash(python fit.py:*)", "session", "answer"),
    ];
    this.hooks = {
      hooks: {
        PreToolUse: [
          {
            matcher: "run_bash",
            hooks: [{ type: "command", command: "bin/no-network", timeout: 5, on_error: "deny" }],
          },
        ],
        Stop: [{ hooks: [{ type: "command", command: "bin/before-stop", timeout: 30 }] }],
      },
    };
    this.memories = [
      memory("preference", "Give distances in Mpc with the error, never in light years.", true),
      memory("decision", "For the H0 comparison we leave out results before 2019."),
      memory("fact", "The reduced NIRISS spectra lie in data/niriss/reduced.", false, 4000),
      memory("reference", "Greene et al. 2023 (2023Natur.618...39G): the first eclipse depth."),
    ];
    this.audit = Array.from({ length: 130 }, (_, i) => entry(i));
    this.skills = [
      skill("literature-review", "Search, screen and summarise the literature on a question."),
      skill("target-dossier", "Collect what is known of one object, with the sources.", "fork"),
      { ...skill("my-plots", "Plots in the style of our group."), source: "user" },
      {
        ...skill("broken", "A skill whose file has a fault."),
        source: "user",
        problems: ["SKILL.md, line 3: `allowed-tools` names an unknown tool `run_idl`."],
      },
    ];
  }

  /** Answers what belongs here; false for anything else. */
  handle(method, url, body, reply, problem) {
    const [, , area, part, more, last] = url.pathname.split("/");
    const key = `${method} /${[area, part, more, last].filter(Boolean).join("/")}`;
    switch (key) {
      case "GET /models":
        return reply(200, { items: this.models });
      case "PUT /models/current":
        for (const each of this.models) {
          each.current = each.name === body.name;
          each.preferred = each.current;
        }
        return reply(200, { items: this.models });
      case "GET /permissions":
        return reply(200, { items: this.rules });
      case "POST /permissions":
        if (!/^(\*|[a-z_]+)(\(.+\))?$/.test(body.rule ?? "")) return this.badRule(reply);
        this.rules.push(rule(body.effect, body.rule, "everyone", "written"));
        return reply(201, this.rules.at(-1));
      case "POST /permissions/check":
        return reply(200, this.check(body));
      case "GET /hooks":
        return reply(200, { items: [], document: this.hooks, ignored_events: [], events: [] });
      case "PUT /hooks":
        return this.storeHooks(body, reply);
      case "POST /hooks/dry-run":
        return reply(200, this.dryRun(body));
      case "GET /skills":
        return reply(200, { items: this.skills });
      case "GET /audit": {
        const from = Number(url.searchParams.get("cursor") ?? 0);
        const to = from + Number(url.searchParams.get("limit") ?? 50);
        const next_cursor = to < this.audit.length ? String(to) : null;
        return reply(200, { items: this.audit.slice(from, to), next_cursor });
      }
      case "GET /metrics":
        return reply(200, METRICS);
      case "GET /memories": {
        const q = (url.searchParams.get("q") ?? "").toLowerCase();
        const items = this.memories.filter((each) => each.content.toLowerCase().includes(q));
        return reply(200, {
          items: items.sort((a, b) => Number(b.pinned) - Number(a.pinned)),
          next_cursor: null,
        });
      }
      default:
        break;
    }
    if (area === "permissions" && part) return this.one("rules", method, part, body, reply);
    if (area === "memories" && part) return this.one("memories", method, part, body, reply);
    if (area === "sessions" && more === "compact") {
      const session = this.mock.sessions.get(part);
      if (!session) return problem(404, "not_found", "No such session.");
      return last === "undo"
        ? this.undo(session, reply, problem)
        : this.compact(session, reply, problem);
    }
    return false;
  }

  one(list, method, id, body, reply) {
    const at = this[list].findIndex((each) => each.id === id);
    if (at < 0) return reply(404, { title: "Not found", status: 404, code: "not_found" });
    if (method === "DELETE") {
      this[list].splice(at, 1);
      return reply(204, undefined);
    }
    Object.assign(this[list][at], body);
    return reply(200, this[list][at]);
  }

  badRule(reply) {
    return reply(422, {
      type: "about:blank",
      title: "Unprocessable",
      status: 422,
      code: "invalid",
      detail: "The rule is not valid.",
      errors: [{ pointer: "/rule", detail: "A rule is `tool` or `tool(specifier)`." }],
    });
  }

  check({ tool, arguments: args, permission_mode: mode }) {
    const command = String(args?.command ?? "");
    const fits = (text) => {
      const [, name, inside] = /^([^(]+)(?:\((.+)\))?$/.exec(text) ?? [];
      if (name !== "*" && name !== tool) return false;
      return !inside || command.startsWith(inside.replace(/:\*$/, ""));
    };
    for (const effect of ["deny", "ask", "allow"]) {
      const found = this.rules.find((each) => each.effect === effect && fits(each.rule));
      if (found) return { verdict: effect, reason: `A rule says so.`, rule: found.rule };
    }
    return mode === "ask"
      ? { verdict: "ask", reason: "In this mode whatever changes something asks.", rule: null }
      : { verdict: "allow", reason: "No rule matches, and the default is to run.", rule: null };
  }

  storeHooks(body, reply) {
    const known = ["PreToolUse", "PostToolUse", "Stop", "SessionStart", "Notification"];
    const errors = Object.keys(body.hooks ?? {})
      .filter((event) => !known.includes(event))
      .map((event) => ({ pointer: `/hooks/${event}`, detail: "There is no such event." }));
    if (errors.length > 0) {
      return reply(422, {
        type: "about:blank",
        title: "Unprocessable",
        status: 422,
        code: "invalid",
        detail: "The document has faults.",
        errors,
      });
    }
    this.hooks = body;
    return reply(200, { items: [], document: body, ignored_events: [], events: [] });
  }

  dryRun({ event }) {
    if (!this.hooks.hooks[event]) return { items: [] };
    return {
      items: [
        {
          name: "bin/no-network",
          command: "bin/no-network",
          decision: "block",
          exit_code: 2,
          ms: 34,
          stdout: "",
          stderr: "curl is not allowed here",
        },
      ],
    };
  }

  compact(session, reply, problem) {
    if (this.mock.messages.get(session.id).length < 2) {
      return problem(409, "conflict", "There is nothing to shorten yet.");
    }
    const summary = this.addSummary(session, null, "manual");
    const run = this.mock.messages.get(session.id).findLast((each) => each.run_id)?.run_id;
    this.mock.emit(
      "usage",
      session.id,
      {
        usage: { input_tokens: 52_000, output_tokens: 2140, cached_tokens: 41_000 },
        context_tokens: summary.metadata.after_tokens,
        context_window: 128_000,
      },
      run,
    );
    return reply(202, { state: "begun" });
  }

  addSummary(session, runId, layer) {
    const metadata = { layer, before_tokens: 104_300, after_tokens: 21_800, record: RECORD };
    const summary = this.mock.addMessage(session, {
      run_id: runId,
      role: "summary",
      content: SUMMARY,
      metadata: { ...metadata, undone: false },
    });
    this.mock.emit(
      "compaction",
      session.id,
      { layer, before_tokens: 104_300, after_tokens: 21_800, summary_message_id: summary.id },
      runId,
    );
    return summary;
  }

  undo(session, reply, problem) {
    const summary = this.mock.messages
      .get(session.id)
      .findLast((each) => each.role === "summary" && !each.metadata.undone);
    if (!summary) return problem(409, "conflict", "There is no summary to take back.");
    summary.metadata.undone = true;
    this.mock.emit("message", session.id, { message: summary }, summary.run_id);
    return reply(204, undefined);
  }
}

function model(name, change) {
  return {
    name,
    endpoint: "api.example.org",
    current: false,
    preferred: false,
    health: "ok",
    context_window: 128_000,
    ...change,
  };
}

function rule(effect, text, scope, source) {
  return { id: randomUUID(), effect, rule: text, scope, source, created_at: ago(2000) };
}

function memory(kind, content, pinned = false, minutes = 60) {
  return {
    id: randomUUID(),
    content,
    kind,
    source: {},
    confidence: 0.9,
    pinned,
    created_at: ago(minutes),
    last_used_at: ago(minutes / 2),
  };
}

function skill(name, description, mode = "inline") {
  return { name, description, mode, source: "shipped", problems: [] };
}

function entry(i) {
  const kinds = [
    { event: "PreToolUse", tool: "run_bash", decision: "allow", summary: "command, 41 bytes" },
    { event: "PostToolUse", tool: "search_papers", decision: "ok", summary: "9 kB", ms: 812 },
    { event: "UserPromptSubmit", tool: null, decision: "continue", summary: "84 characters" },
    { event: "PermissionAnswer", tool: "file_write", decision: "deny", summary: "not there" },
  ];
  return {
    id: `audit-${1000 - i}`,
    user_id: "u1",
    session_id: null,
    run_id: null,
    tool_call_id: null,
    ms: null,
    created_at: ago(i * 7),
    ...kinds[i % kinds.length],
  };
}

const counter = (name, labels, value) => ({ name: `almagest_${name}_total`, labels, value });

const time = (name, labels, count, sum_seconds) => ({
  name: `almagest_${name}_seconds`,
  labels,
  count,
  sum_seconds,
  buckets: [],
});

const METRICS = {
  since: ago(3000),
  counters: [
    counter("tool_calls", { outcome: "ok", tool: "search_papers" }, 1196),
    counter("tool_calls", { outcome: "error", tool: "search_papers" }, 14),
    counter("tool_calls", { outcome: "ok", tool: "read_file" }, 980),
    counter("tool_calls", { outcome: "ok", tool: "run_bash" }, 374),
    counter("tool_calls", { outcome: "refused", tool: "run_bash" }, 38),
    counter("tool_calls", { outcome: "ok", tool: "query_target" }, 368),
    counter("model_calls", { model: "demo-model", outcome: "ok" }, 1588),
    counter("model_calls", { model: "glm-astro", outcome: "ok" }, 42),
    counter("model_calls", { model: "glm-astro", outcome: "error" }, 6),
    counter("tokens", { kind: "input", model: "demo-model" }, 18_400_000),
    counter("tokens", { kind: "cached", model: "demo-model" }, 13_900_000),
    counter("tokens", { kind: "output", model: "demo-model" }, 1_210_000),
    counter("runs", { status: "completed" }, 201),
    counter("runs", { status: "stopped" }, 13),
    counter("audit_rows_dropped", {}, 0),
  ],
  histograms: [
    time("tool_call_duration", { tool: "search_papers" }, 1210, 1093),
    time("tool_call_duration", { tool: "run_bash" }, 412, 910),
    time("tool_call_duration", { tool: "read_file" }, 980, 2.1),
    time("model_call_duration", { model: "demo-model" }, 1588, 9210),
    time("model_call_duration", { model: "glm-astro" }, 48, 402),
  ],
};

const SUMMARY = `The user compares limits on the atmosphere of **TRAPPIST-1 b**. Emission at 12.8 and 15 μm is known; transmission is dominated by stellar contamination.

What remains is the table of surface pressures, from $0.1$ to $10$ bar.`;

const RECORD = {
  goal: "Limits on the atmosphere of TRAPPIST-1 b, for a review section",
  constraints: ["Only refereed papers", "Pressures in bar"],
  decisions: ["Leave out results from before JWST"],
  todos: [{ id: "3", content: "Table of surface pressures", status: "in_progress" }],
  papers: [
    { bibcode: "2023Natur.618...39G", title: "Thermal emission from TRAPPIST-1 b" },
    { bibcode: "2025NatAs...9..358D", title: "Combined analysis at 12.8 and 15 μm" },
  ],
  targets: ["TRAPPIST-1 b"],
  files: ["notes/trappist-1b.md"],
  skills: ["literature-review"],
};
