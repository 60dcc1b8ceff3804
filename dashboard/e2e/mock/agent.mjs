// The scripted agent of the mock: what it says depends on words in the question.
import { randomUUID } from "node:crypto";
import { scriptFor } from "./scripts.mjs";

export class Agent {
  constructor(mock, pace) {
    this.mock = mock;
    this.pace = pace;
    this.stops = new Map();
    this.waiters = new Map();
    this.seen = new Map();
  }

  submit(session, { message, client_message_id: clientId, enable_thinking: thinking }) {
    this.thinking = thinking ?? null;
    const before = clientId && this.seen.get(clientId);
    if (before) return before;
    const seq = this.mock.lastId;
    const id = randomUUID();
    let answer;
    if (session.active_run_id) {
      const run_id = session.active_run_id;
      this.mock.addMessage(session, { id, run_id, role: "user", content: message, queued: true });
      this.mock.touch(session, {});
      answer = { run_id, message_id: id, seq, queued: true };
    } else {
      const run = this.start(session, message, [{ id, content: message }]);
      answer = { run_id: run.id, message_id: id, seq, queued: false };
    }
    if (clientId) this.seen.set(clientId, answer);
    return answer;
  }

  start(session, question, messages, resumed = null) {
    const { mock } = this;
    const run = resumed ?? {
      id: randomUUID(),
      session_id: session.id,
      mode: "standard",
      steps: 0,
      usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0 },
      started_at: new Date().toISOString(),
      ended_at: null,
    };
    run.status = "running";
    mock.runs.set(run.id, run);
    mock.touch(session, {
      active_run_id: run.id,
      last_message: question,
      ...(session.title === "New session" ? { title: question.slice(0, 60) } : {}),
    });
    mock.emit(
      "run_started",
      session.id,
      {
        message_ids: messages.map((m) => m.id),
        model: session.model ?? "demo-model",
        mode: "standard",
      },
      run.id,
    );
    for (const m of messages)
      mock.addMessage(session, { id: m.id, run_id: run.id, role: "user", content: m.content });
    const stop = new AbortController();
    this.stops.set(run.id, stop);
    this.play(session, run, question, stop.signal).catch((error) => console.error(error));
    return run;
  }

  queued(session) {
    return this.mock.messages.get(session.id).filter((message) => message.queued);
  }

  cancel(runId) {
    this.stops.get(runId)?.abort();
  }

  stopAll() {
    for (const stop of this.stops.values()) stop.abort("shutdown");
  }

  answered(question) {
    this.waiters.get(question.id)?.();
  }

  async play(session, run, question, signal) {
    const { mock } = this;
    const emit = (type, data) => mock.emit(type, session.id, data, run.id);
    const finish = (status, extra = {}) => {
      run.status = status;
      this.stops.delete(run.id);
      mock.touch(session, { active_run_id: null });
      emit("run_finished", { run_id: run.id, status, ...extra });
      const next = this.queued(session);
      if (next.length > 0) this.start(session, next.at(-1).content, next);
      else mock.endSessionStreams(session.id);
    };
    const said = { text: "", thinking: "" };
    const model = session.model ?? mock.around.models.find((each) => each.current).name;
    try {
      for (const [index, step] of scriptFor(question).entries()) {
        said.text = "";
        said.thinking = "";
        for (const action of step) {
          await pause((action.after ?? 25) * this.pace, signal);
          if (action.think) {
            for (const delta of cut(action.think, 24)) {
              said.thinking += delta;
              emit("thinking_delta", { delta });
              await pause(30 * this.pace, signal);
            }
          } else if (action.say) {
            for (const delta of cut(action.say, action.slow ? 6 : 18)) {
              said.text += delta;
              emit("text_delta", { delta });
              await pause((action.slow ? 120 : 30) * this.pace, signal);
            }
          } else if (action.retry) {
            const from = mock.lastId + 1;
            emit("text_delta", { delta: "An attempt that breaks off" });
            emit("retrying", {
              attempt: 2,
              reason: action.retry,
              wait_ms: action.wait,
              discard_from: from,
            });
            await pause(action.wait, signal);
          } else if (action.calls) {
            await this.calls(session, run, action.calls, index + 1, said, signal);
          } else if (action.event) {
            emit(...action.event);
          } else if (action.compact) {
            mock.around.addSummary(session, run.id, action.compact);
          } else if (action.ask) {
            await this.ask(session, run, action.ask, signal);
          } else if (action.end) {
            return finish(action.end, action.extra);
          }
        }
        if (said.text || said.thinking) {
          mock.addMessage(session, {
            run_id: run.id,
            role: "assistant",
            content: said.text,
            thinking: said.thinking || null,
            model,
          });
        }
        emit("usage", {
          usage: {
            input_tokens: 5200 * (index + 1),
            output_tokens: 340 * (index + 1),
            cached_tokens: 4000,
          },
          context_tokens: 9200 * (index + 1) + 5400,
          context_window: 128000,
        });
        if (index + 1 < scriptFor(question).length) {
          for (const m of this.queued(session)) {
            mock.addMessage(session, { ...m, run_id: run.id, queued: false });
          }
        }
      }
      finish("completed");
    } catch (error) {
      if (!signal.aborted) throw error;
      if (signal.reason === "shutdown") return;
      if (said.text || said.thinking) {
        mock.addMessage(session, {
          run_id: run.id,
          role: "assistant",
          content: said.text,
          thinking: said.thinking || null,
          model,
        });
      }
      finish("stopped");
    }
  }

  async calls(session, run, calls, step, said, signal) {
    const { mock } = this;
    const emit = (type, data) => mock.emit(type, session.id, data, run.id);
    const all = calls.map((call) => ({ ...call, id: `call_${randomUUID()}` }));
    // As the server does it: calls begin while the answer streams, its message comes after them.
    for (const call of all) {
      emit("tool_call", { id: call.id, name: call.name, arguments: call.arguments, step });
      for (const hook of call.hooks ?? []) emit("hook", { ...hook, tool_call_id: call.id });
      for (const delta of cut(call.meanwhile ?? "", 12)) {
        said.text += delta;
        emit("text_delta", { delta });
        await pause(30 * this.pace, signal);
      }
    }
    mock.addMessage(session, {
      run_id: run.id,
      role: "assistant",
      content: said.text,
      thinking: said.thinking || null,
      model: "demo-model",
      tool_calls: all.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
    });
    said.text = "";
    said.thinking = "";
    await Promise.all(
      all.map(async (call) => {
        const answer = call.ask
          ? await this.ask(
              session,
              run,
              { tool_call_id: call.id, tool: call.name, arguments: call.arguments, ...call.ask },
              signal,
            ).catch(() => null)
          : null;
        if (answer?.decision === "deny" || answer?.expired) {
          Object.assign(call, {
            is_error: true,
            output: `Not allowed${answer.comment ? `: ${answer.comment}` : "."}`,
          });
        }
        if (answer?.answer) call.output = answer.answer;
        if (call.progress) emit("tool_progress", { id: call.id, progress: call.progress });
        await pause((call.ms ?? 200) * this.pace, signal).catch(() => undefined);
        const stopped = signal.aborted;
        const output = stopped ? "Stopped by the user." : call.output;
        const result = {
          is_error: stopped || Boolean(call.is_error),
          metadata: stopped ? null : (call.metadata ?? null),
        };
        emit("tool_result", { tool_call_id: call.id, name: call.name, output, step, ...result });
        // As the server does it: the result's message is stored, its event is `tool_result`.
        const stored = { run_id: run.id, role: "tool", content: output, tool_call_id: call.id };
        mock.addMessage(session, { ...stored, ...result }, true);
        if (call.name === "todo_write") emit("todo_updated", { todos: call.arguments.todos });
      }),
    );
    signal.throwIfAborted();
  }

  async ask(session, run, ask, signal) {
    const { mock } = this;
    const question = {
      id: randomUUID(),
      session_id: session.id,
      run_id: run.id,
      tool_call_id: null,
      status: "open",
      answer: null,
      expires_at: new Date(Date.now() + 300_000).toISOString(),
      ...ask,
    };
    mock.questions.set(question.id, question);
    mock.emit("question", session.id, { question: { ...question } }, run.id);
    const expiry = setTimeout(() => {
      question.status = "expired";
      const closed = { id: question.id, status: "expired" };
      mock.emit("question_closed", session.id, closed, run.id);
      this.waiters.get(question.id)?.();
    }, Date.parse(question.expires_at) - Date.now());
    try {
      await new Promise((resolve, reject) => {
        this.waiters.set(question.id, resolve);
        signal.addEventListener("abort", () => {
          question.status = "expired";
          const closed = { id: question.id, status: "expired" };
          mock.emit("question_closed", session.id, closed, run.id);
          reject(signal.reason);
        });
      });
    } finally {
      clearTimeout(expiry);
    }
    return question.answer ?? { expired: true };
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

function cut(text, size) {
  return text.match(new RegExp(`[\\s\\S]{1,${size}}`, "g")) ?? [];
}
