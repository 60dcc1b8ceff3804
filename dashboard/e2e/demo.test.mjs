// The main job in a real browser: log in, ask, watch the work, read the answer, find it again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, DEMO_QUESTION, launch, login, newContext, openGroups, runEnds } from "./browser.mjs";

const TOOLS = ["query_target", "search_papers", "get_paper_metadata", "file_write"];
let browser;
let context;
let page;

before(async () => {
  browser = await launch();
  context = await newContext(browser);
  page = await context.newPage();
});

after(() => browser.close());

/** What a reader must find on the page once the answer is there. */
async function assertAnswer() {
  assert.equal(
    await page
      .getByTestId("user-message")
      .first()
      .textContent()
      .then((t) => t.includes(DEMO_QUESTION)),
    true,
  );
  await openGroups(page);
  for (const tool of TOOLS) {
    const card = page.locator(`[data-testid="tool-card"][data-tool-name="${tool}"]`).first();
    await card.waitFor();
    // Another test may have asked the same: then the notes are there, unread, and kept.
    const refused = tool === "file_write" && /read/i.test((await card.textContent()) ?? "");
    if (!refused) assert.equal(await card.getAttribute("data-status"), "ok", tool);
  }
  assert.ok((await page.getByTestId("thinking").count()) > 0, "no thinking is shown");
  const answer = page.getByTestId("assistant-message").last();
  await answer.locator(".katex").first().waitFor();
  const hrefs = await answer
    .locator("a")
    .evaluateAll((links) => links.map((a) => [a.href, a.target, a.rel]));
  assert.ok(hrefs.length > 0, "the answer has no links");
  for (const [href, target, rel] of hrefs) {
    assert.match(href, /^https?:\/\//);
    assert.equal(target, "_blank");
    assert.match(rel, /noopener/);
  }
  assert.ok(
    hrefs.some(([href]) => /adsabs\.harvard\.edu|arxiv\.org|doi\.org/.test(href)),
    "no link to a paper",
  );
}

test("a wrong password is refused beside its field", async () => {
  await page.goto("/");
  await page.waitForURL(/\/login/);
  await page.getByTestId("login-username").fill("nobody");
  await page.getByTestId("login-password").fill("wrong");
  await page.getByTestId("login-submit").click();
  const error = page.locator('[data-testid="login-password"][aria-invalid="true"]');
  await error.waitFor();
  const described = await error.getAttribute("aria-describedby");
  assert.ok((await page.locator(`[id="${described}"]`).textContent()).length > 0);
});

test("the question is answered with its sources", { timeout: 120_000 }, async () => {
  await login(page);
  await ask(page, DEMO_QUESTION);
  // The work is seen while it goes on.
  await page.getByTestId("tool-card").first().waitFor();
  await page.getByTestId("assistant-message").first().waitFor({ timeout: 60_000 });
  await runEnds(page);
  await assertAnswer();
  if (process.env.ALMAGEST_SCREENSHOT) {
    // High enough for the question, the work and the answer with its formula.
    await page.setViewportSize({ width: 1360, height: 1360 });
    await page.getByTestId("timeline").evaluate((box) => box.scrollTo(0, 0));
    await page.mouse.move(700, 5);
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: process.env.ALMAGEST_SCREENSHOT });
    await page.setViewportSize({ width: 1280, height: 860 });
  }
});

test("a reload shows the same", async () => {
  const before = await page.getByTestId("assistant-message").last().textContent();
  await page.reload();
  await page.getByTestId("assistant-message").last().waitFor();
  await assertAnswer();
  assert.equal(await page.getByTestId("assistant-message").last().textContent(), before);
  assert.equal(await page.getByTestId("stop").count(), 0);
});

test("an opened card is still open after a reload", async () => {
  const card = page.locator('[data-tool-name="search_papers"] > button').first();
  if ((await card.getAttribute("aria-expanded")) === "false") await card.click();
  await page.reload();
  await page.getByTestId("assistant-message").last().waitFor();
  await page
    .locator('[data-tool-name="search_papers"] > button[aria-expanded="true"]')
    .first()
    .waitFor();
});

test("the history search finds it and goes there", async () => {
  const path = new URL(page.url()).pathname;
  await page.goto("/");
  await page.getByTestId("composer").waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("atmosphere TRAPPIST");
  // A hit in a title leads to the session, one in a message to the message.
  const hit = page.locator(`[data-testid="history-hit"][href^="${path}?m="]`).first();
  await hit.waitFor();
  assert.ok((await hit.locator("mark").count()) > 0, "the match is not marked");
  await hit.click();
  await page.waitForURL((url) => url.pathname === path);
  await page.locator(".flash").first().waitFor();
});

test("nothing went wrong on the way, the content policy included", () => {
  assert.deepEqual(context.faults, []);
});
