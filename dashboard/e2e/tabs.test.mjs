// Ten tabs on ten sessions in one browser: one stream, every tab live, requests unhindered; the
// leader closes, and nothing is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, launch, login, newContext, runEnds } from "./browser.mjs";

const TABS = 10;
let browser;
let context;
const pages = [];
/** The streams that are open, as the pages see them. */
const open = new Set();
let mostOpen = 0;

before(async () => {
  browser = await launch();
  context = await newContext(browser);
  const isStream = (request) => new URL(request.url()).pathname === "/api/events";
  context.on("request", (request) => {
    if (!isStream(request)) return;
    open.add(request);
    mostOpen = Math.max(mostOpen, open.size);
  });
  for (const end of ["requestfinished", "requestfailed"]) {
    context.on(end, (request) => open.delete(request));
  }
});

after(() => browser.close());

test("ten tabs share one stream and stay live", { timeout: 180_000 }, async () => {
  const first = await context.newPage();
  await login(first);
  const ids = [];
  for (let i = 0; i < TABS; i += 1) {
    const { status, body } = await api(first, "POST", "/api/sessions", { title: `Tab ${i}` });
    assert.equal(status, 201);
    ids.push(body.id);
  }
  pages.push(first);
  await first.goto(`/s/${ids[0]}`);
  for (const id of ids.slice(1)) {
    const page = await context.newPage();
    await page.goto(`/s/${id}`);
    pages.push(page);
  }
  for (const page of pages) {
    await page.locator('[data-testid="timeline"][data-status="ready"]').waitFor();
    await page
      .locator('[data-testid="connection-state"][data-state="open"]')
      .waitFor({ state: "attached" });
  }
  assert.equal(open.size, 1, "more than one stream of events is open");

  // Every tab asks at the same time, and sees its own answer.
  await Promise.all(
    pages.map(async (page, i) => {
      await page.getByTestId("composer").fill(`Repeat exactly: the answer of tab number ${i}`);
      await page.getByTestId("send").click();
    }),
  );
  for (const [i, page] of pages.entries()) {
    await page
      .getByTestId("assistant-message")
      .filter({ hasText: `the answer of tab number ${i}` })
      .waitFor();
    await runEnds(page);
    assert.equal(await page.getByTestId("assistant-message").count(), 1);
  }
});

test("requests are not held up by the tabs", async () => {
  // A browser gives a server six connections; a stream per tab would leave none.
  const page = pages.at(-1);
  const answers = await Promise.race([
    Promise.all(Array.from({ length: 8 }, () => api(page, "GET", "/api/auth/verify"))),
    new Promise((_, reject) => setTimeout(() => reject(new Error("requests are held up")), 5000)),
  ]);
  assert.ok(answers.every((answer) => answer.status === 200));
});

test("the leader closes and nothing is lost", { timeout: 60_000 }, async () => {
  const leaderRequest = [...open][0];
  const leader = leaderRequest.frame().page();
  const rest = pages.filter((page) => page !== leader);
  const watched = rest[0];
  await watched.getByTestId("composer").fill("Please answer slowly: one more time");
  await watched.getByTestId("send").click();
  await watched.getByTestId("assistant-message").nth(1).waitFor();
  await leader.close();
  open.delete(leaderRequest);
  const length = async () =>
    (await watched.getByTestId("assistant-message").nth(1).textContent()).length;
  const before = await length();
  await watched.waitForFunction(
    (n) =>
      document.querySelectorAll('[data-testid="assistant-message"]')[1].textContent.length > n + 60,
    before,
  );
  assert.equal(open.size, 1, "another tab has taken over, alone");
  const shown = () =>
    watched.getByTestId("assistant-message").nth(1).locator(".prose").textContent();
  await watched.getByTestId("stop").click();
  await runEnds(watched);
  const live = await shown();
  await watched.reload();
  await watched.getByTestId("assistant-message").nth(1).waitFor();
  assert.equal((await shown()).trim(), live.trim(), "the live text differs from the stored one");
  for (const page of rest.slice(1)) {
    await page
      .locator('[data-testid="connection-state"][data-state="open"]')
      .waitFor({ state: "attached" });
  }
});

test("a logout in one tab logs out the others", async () => {
  const rest = pages.filter((page) => !page.isClosed());
  await rest[0].getByTestId("logout").click();
  for (const page of rest) await page.getByTestId("login-submit").waitFor();
  assert.deepEqual(context.faults, []);
});

test("there was never more than one stream at a time", () => {
  // While a leader hands over, the browser may report the old one's end a moment late.
  assert.ok(mostOpen <= 2, `up to ${mostOpen} streams were open`);
});
