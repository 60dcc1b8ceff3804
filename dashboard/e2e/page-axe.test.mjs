// No serious accessibility fault on any page, in either theme and language. (By its name it runs
// after the demo, which wants the workspace as it is at first.)
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { ask, DEMO_QUESTION, launch, login, newContext, openGroups, runEnds } from "./browser.mjs";

let browser;
let sessionPath;
let state;

before(async () => {
  browser = await launch();
  const context = await newContext(browser);
  const page = await context.newPage();
  await login(page);
  sessionPath = `/s/${await ask(page, DEMO_QUESTION)}`;
  await page.getByTestId("assistant-message").last().locator(".katex").first().waitFor();
  await runEnds(page);
  const identifiers = ["2023Natur.618...39G"];
  const added = await page.request.post("/api/library", { data: { identifiers } });
  assert.equal(added.status(), 202);
  state = await context.storageState();
  await context.close();
});

after(() => browser.close());

async function check(page, name) {
  await page.evaluate(() => document.fonts.ready);
  // Colours in transition would be measured half-way.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((a) => a.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
        .map((a) => a.finished.catch(() => undefined)),
    ),
  );
  const result = await new AxeBuilder({ page }).analyze();
  const serious = result.violations.filter(
    (v) => v.impact === "serious" || v.impact === "critical",
  );
  const text = serious.flatMap((v) =>
    v.nodes.map((n) => `${name}: ${v.id}: ${n.target} ${n.failureSummary}`),
  );
  assert.deepEqual(text, []);
}

for (const colorScheme of ["light", "dark"]) {
  for (const locale of ["en-GB", "zh-CN"]) {
    test(`${colorScheme}, ${locale}`, { timeout: 120_000 }, async () => {
      const stranger = await newContext(browser, { colorScheme, locale });
      const front = await stranger.newPage();
      await front.goto("/login");
      await front.getByTestId("login-submit").click();
      await front.locator('[aria-invalid="true"]').first().waitFor();
      await check(front, "login");
      await front.goto("/setup#token");
      await front.getByTestId("setup-username").waitFor();
      await check(front, "setup");
      await stranger.close();

      const context = await newContext(browser, { colorScheme, locale, storageState: state });
      const page = await context.newPage();
      await page.goto("/");
      await page.getByTestId("composer").waitFor();
      await page.locator(".katex").first().waitFor();
      await check(page, "home");

      await page.goto(sessionPath);
      await page.getByTestId("assistant-message").last().locator(".katex").first().waitFor();
      await openGroups(page);
      for (const button of await page.locator('[data-testid="tool-card"] > button').all()) {
        if ((await button.getAttribute("aria-expanded")) === "false") await button.click();
      }
      await page.getByTestId("target-card").first().waitFor();
      await check(page, "chat with open cards");

      await page.getByTestId("history-search").fill("TRAPPIST");
      await page.getByTestId("history-hit").first().waitFor();
      await check(page, "search");

      await page.goto("/library");
      await page.getByTestId("library-paper").getByRole("checkbox").check();
      await page.getByTestId("library-paper").getByRole("button").nth(1).click();
      await check(page, "library");
      await page.getByTestId("library-add").click();
      await check(page, "adding papers");

      await page.goto("/settings");
      await page.getByRole("heading", { level: 1 }).waitFor();
      await check(page, "settings");

      await page.goto("/no/such/page");
      await page.getByRole("heading", { level: 1 }).waitFor();
      await check(page, "not found");
      assert.deepEqual(context.faults, []);
      await context.close();
    });
  }
}
