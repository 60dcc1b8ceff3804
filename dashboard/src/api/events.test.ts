import { describe, expect, it } from "vitest";
import { parseEvent } from "./events";

const frame = (event: string, data: unknown, id?: string | null) => ({
  id: id === null ? undefined : (id ?? "5"),
  event,
  data: typeof data === "string" ? data : JSON.stringify(data),
});

describe("parseEvent", () => {
  it("reads a known event with its time", () => {
    expect(parseEvent(frame("text_delta", { delta: "a", session_id: "s" }), 99)).toEqual({
      id: 5,
      type: "text_delta",
      data: { delta: "a", session_id: "s" },
      at: 99,
    });
  });

  it.each([
    ["an unknown type", frame("from_the_future", { a: 1 })],
    ["a name of Object's prototype", frame("constructor", { a: 1 })],
    ["no id", frame("text_delta", { delta: "a" }, null)],
    ["an id that is no number", frame("text_delta", { delta: "a" }, "x1")],
    ["broken JSON", frame("text_delta", "{")],
    ["data that is no object", frame("text_delta", "[]")],
    ["a missing field", frame("text_delta", {})],
    ["a field of the wrong type", frame("message", { message: "hello" })],
  ])("passes over %s", (_name, value) => {
    expect(parseEvent(value)).toBeNull();
  });
});
