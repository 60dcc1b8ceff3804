import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import "@/i18n";
import type { Question } from "@/api/types";
import { QuestionCard } from "./QuestionCard";
import { questionsQuery, storeQuestion, useLateAnswers } from "./queries";

const BASE: Question = {
  id: "q1",
  session_id: "s1",
  run_id: "r1",
  kind: "permission",
  tool_call_id: "c1",
  tool: "run_bash",
  arguments: { command: "python fit.py" },
  message: "May it run?",
  status: "open",
  expires_at: new Date(Date.now() + 300_000).toISOString(),
};

function setUp(question: Question, status = 200) {
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ items: [] });
    sent.push(await request.clone().json());
    const refusal = {
      type: "about:blank",
      title: "Conflict",
      status,
      code: "conflict",
      detail: "",
    };
    return status === 200 ? Response.json(question) : Response.json(refusal, { status });
  });
  const client = new QueryClient();
  storeQuestion(client, question);
  render(
    <QueryClientProvider client={client}>
      <QuestionCard question={question} />
    </QueryClientProvider>,
  );
  return { sent, client };
}

beforeEach(() => useLateAnswers.setState({ sessions: {} }));
afterEach(() => vi.unstubAllGlobals());

describe("a permission question", () => {
  it("sends the decision with the comment, and closes", async () => {
    const { sent, client } = setUp(BASE);
    fireEvent.change(screen.getByTestId("question-comment"), { target: { value: " not now " } });
    fireEvent.click(screen.getByTestId("decision-deny"));
    await waitFor(() => expect(client.getQueryData(questionsQuery.queryKey)).toEqual([]));
    expect(sent).toEqual([{ decision: "deny", comment: "not now" }]);
  });

  it("offers “always” only with the rule that it would store", () => {
    setUp(BASE);
    expect(screen.queryByTestId("decision-always")).toBeNull();
  });

  it("names that rule", () => {
    setUp({ ...BASE, suggestion: "run_bash(python fit.py:*)" });
    const always = screen.getByTestId("decision-always");
    const rule = document.getElementById(always.getAttribute("aria-describedby") ?? "");
    expect(rule?.textContent).toContain("run_bash(python fit.py:*)");
  });

  it("says that another tab was first", async () => {
    setUp(BASE, 409);
    fireEvent.click(screen.getByTestId("decision-once"));
    await screen.findByRole("alert");
    expect(useLateAnswers.getState().sessions).toHaveProperty("s1");
    expect(screen.getByTestId<HTMLButtonElement>("decision-once").disabled).toBe(true);
  });

  it("can be answered again when the server fails", async () => {
    setUp(BASE, 500);
    fireEvent.click(screen.getByTestId("decision-once"));
    await screen.findByRole("alert");
    expect(screen.getByTestId<HTMLButtonElement>("decision-once").disabled).toBe(false);
  });
});

describe("a question in words", () => {
  const ask: Question = { ...BASE, kind: "ask_user", options: ["F1280W", "F1500W"] };

  it("is answered by an option", async () => {
    const { sent } = setUp(ask);
    fireEvent.click(screen.getByText("F1500W"));
    await waitFor(() => expect(sent).toEqual([{ answer: "F1500W" }]));
  });

  it("or in one's own words, but not by the Enter of an input method", async () => {
    const { sent } = setUp(ask);
    const field = screen.getByTestId("question-answer");
    fireEvent.change(field, { target: { value: "both" } });
    fireEvent.keyDown(field, { key: "Enter", isComposing: true });
    expect(sent).toEqual([]);
    fireEvent.keyDown(field, { key: "Enter" });
    await waitFor(() => expect(sent).toEqual([{ answer: "both" }]));
  });
});
