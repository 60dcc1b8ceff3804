// Stop, the queue, the draft, and Enter under an input method. The scripted model answers slowly
// when the question says "slowly".
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, launch, login, newContext, runEnds } from "./browser.mjs";

const SLOW = "Please answer slowly: how is a light curve folded?";
let browser;
let context;
let page;

before(async () => {
  browser = await launch();
  context = await newContext(browser);
  page = await context.newPage();
  await login(page);
});

after(() => browser.close());

const answers = () => page.getByTestId("assistant-message");

test("stop ends the run, keeps what was said, and the next question works", {
  timeout: 60_000,
}, async () => {
  await ask(page, SLOW);
  await answers().first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('[data-testid="assistant-message"]')?.textContent.length > 40,
  );
  await page.getByTestId("stop").click();
  await runEnds(page);
  await page.locator('[data-testid="run-end"][data-status="stopped"]').waitFor();
  const text = await answers().first().textContent();
  assert.ok(text.length > 20, "what was said is gone");
  await page.reload();
  await answers().first().waitFor();
  await page.locator('[data-testid="run-end"][data-status="stopped"]').waitFor();
  await page.getByTestId("composer").fill("And now a short one.");
  await page.keyboard.press("Enter");
  await answers().nth(1).waitFor();
  await runEnds(page);
});

test("a message sent meanwhile waits, can be edited and withdrawn, and survives a reload", {
  timeout: 60_000,
}, async () => {
  await ask(page, SLOW);
  await page.getByTestId("stop").waitFor();
  const composer = page.getByTestId("composer");
  for (const text of ["The first addition", "The second addition"]) {
    await composer.fill(text);
    await page.keyboard.press("Enter");
    await page.getByTestId("queue-item").filter({ hasText: text }).waitFor();
  }
  const first = page.getByTestId("queue-item").filter({ hasText: "The first addition" });
  await first.getByTestId("queue-edit").click();
  await page.getByTestId("queue-edit-text").fill("The first addition, edited");
  await page.getByTestId("queue-save").click();
  await page.getByTestId("queue-item").filter({ hasText: "edited" }).waitFor();
  const second = page.getByTestId("queue-item").filter({ hasText: "The second addition" });
  await second.getByTestId("queue-withdraw").click();
  await second.waitFor({ state: "detached" });
  await page.reload();
  await page.getByTestId("queue-item").filter({ hasText: "edited" }).waitFor();
  assert.equal(await page.getByTestId("queue-item").count(), 1);
  await page.getByTestId("stop").waitFor();
  await page.getByTestId("stop").click();
  // The run ends; a new one starts with the message that waited.
  await page.getByTestId("user-message").filter({ hasText: "edited" }).waitFor();
  await page.getByTestId("queue-item").first().waitFor({ state: "detached" });
  await runEnds(page);
  assert.equal(
    await page.getByTestId("user-message").filter({ hasText: "second addition" }).count(),
    0,
  );
});

test("an Enter that ends a composition does not send", async () => {
  await page.getByTestId("new-session").click();
  const composer = page.getByTestId("composer");
  await composer.click();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Input.imeSetComposition", {
    text: "hong yi",
    selectionStart: 7,
    selectionEnd: 7,
  });
  await cdp.send("Input.dispatchKeyEvent", {
    type: "rawKeyDown",
    key: "Enter",
    code: "Enter",
    windowsVirtualKeyCode: 229,
  });
  await cdp.send("Input.insertText", { text: "红移" });
  assert.equal(new URL(page.url()).pathname, "/");
  assert.equal(await composer.inputValue(), "红移");
  await page.keyboard.press("Shift+Enter");
  assert.equal(await composer.inputValue(), "红移\n");
});

test("a draft survives a reload and belongs to its session", { timeout: 60_000 }, async () => {
  const id = await ask(page, "A short question for the draft.");
  await runEnds(page);
  await page.getByTestId("composer").fill("half a thought");
  await page.reload();
  await page.waitForFunction(
    () => document.querySelector('[data-testid="composer"]')?.value === "half a thought",
  );
  await page.getByTestId("new-session").click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.waitForFunction(
    () => document.querySelector('[data-testid="composer"]')?.value === "",
  );
  await page.goto(`/s/${id}`);
  await page.waitForFunction(
    () => document.querySelector('[data-testid="composer"]')?.value === "half a thought",
  );
  await page.getByTestId("composer").fill("");
});

test("nothing went wrong on the way", () => {
  assert.deepEqual(context.faults, []);
});
