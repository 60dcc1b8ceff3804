import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Outgoing, recoverOutbox, send, useOutbox } from "./outbox";

const accepted = { run_id: "r", message_id: "m", seq: 1, queued: false };
const answer = (body: unknown, status = 202) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

const item = (change: Partial<Outgoing>): Outgoing => ({
  clientId: "c",
  sessionId: "s",
  text: "hello",
  state: "sending",
  messageId: null,
  error: null,
  createdAt: 1000,
  ...change,
});

const fetched = vi.fn<(request: Request) => Promise<Response>>();

beforeEach(() => {
  useOutbox.setState({ items: [] });
  fetched.mockReset();
  vi.stubGlobal("fetch", fetched);
});

afterEach(() => vi.unstubAllGlobals());

const state = () => useOutbox.getState().items[0];

describe("outbox", () => {
  it("remembers the stored message once it is accepted", async () => {
    fetched.mockResolvedValue(answer(accepted));
    await send("s", "hello");
    expect(state()).toMatchObject({ state: "sent", messageId: "m", text: "hello" });
  });

  it("keeps what did not get through, with the reason", async () => {
    fetched.mockRejectedValueOnce(new TypeError("network"));
    await send("s", "hello");
    expect(state()).toMatchObject({ state: "failed", error: "" });
    useOutbox.setState({ items: [] });
    const problem = { title: "No", status: 503, code: "unavailable", detail: "No model." };
    fetched.mockResolvedValueOnce(answer(problem, 503));
    await send("s", "hello");
    expect(state()).toMatchObject({ state: "failed", error: "No model." });
  });

  it("repeats a request that a reload cut off under the same id", async () => {
    fetched.mockResolvedValue(answer(accepted));
    useOutbox.setState({ items: [item({})] });
    recoverOutbox(2000);
    await vi.waitFor(() => expect(state()?.state).toBe("sent"));
    const body: unknown = await fetched.mock.calls[0]?.[0].json();
    expect(body).toEqual({ message: "hello", client_message_id: "c" });
  });

  it("leaves an old one to the user", () => {
    useOutbox.setState({ items: [item({})] });
    recoverOutbox(1_000_000);
    expect(fetched).not.toHaveBeenCalled();
    expect(state()?.state).toBe("failed");
  });
});
