// A long conversation is shortened and made whole again; what was worth keeping is a memory; a command runs in its sandbox.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, DEMO_QUESTION, launch, login, newContext, openGroups, runEnds } from "./browser.mjs";

let browser;
let page;

before(async () => {
  browser = await launch();
  page = await (await newContext(browser)).newPage();
  await login(page);
});

after(() => browser.close());

test("the context is shortened by hand, read, and taken back", async () => {
  await ask(page, DEMO_QUESTION);
  await runEnds(page);
  await page.getByTestId("context-gauge").click();
  await page.getByTestId("compact-now").click();
  const summary = page.getByTestId("summary-card");
  await summary.waitFor();
  await page.keyboard.press("Escape");
  await summary.getByRole("button").first().click();
  await summary.filter({ hasText: "Four papers were read" }).waitFor();
  await summary.getByTestId("summary-undo").click();
  await page.locator('[data-testid="summary-card"][data-undone="true"]').waitFor();
  assert.equal(await page.getByTestId("summary-undo").count(), 0);
  await page.reload();
  await page.locator('[data-testid="summary-card"][data-undone="true"]').waitFor();
});

test("what left the context is a memory, which can be changed, added to and forgotten", async () => {
  const memory = page.getByTestId("memory");
  // The bridge works beside everything else.
  for (let tries = 0; tries < 100 && (await memory.count()) === 0; tries += 1) {
    await page.goto("/settings/memories");
    await page.getByTestId("memory-add").waitFor();
    await memory
      .first()
      .waitFor({ timeout: 500 })
      .catch(() => undefined);
  }
  await memory.filter({ hasText: "notes/trappist-1b.md" }).waitFor();
  await page.getByTestId("memory-add").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Distances are given in parsecs.");
  await dialog.getByRole("combobox").selectOption("preference");
  await dialog.getByRole("button", { name: "Save" }).click();
  const own = memory.filter({ hasText: "parsecs" });
  await own.waitFor();
  await page.getByTestId("memory-search").fill("parsec");
  await page.waitForFunction(
    () => document.querySelectorAll('[data-testid="memory"]').length === 1,
  );
  await own.getByLabel("Delete this memory").click();
  await page.getByTestId("memory-delete").click();
  await own.waitFor({ state: "detached" });
});

test("a command runs in its sandbox and is shown with its output", async (t) => {
  await page.goto("/");
  const { sandbox } = await page.evaluate(async () => (await fetch("/api/health")).json());
  if (sandbox === "none") {
    t.skip("this machine isolates nothing, so the command would ask");
    return;
  }
  await ask(page, "Count the bands in a shell.");
  await runEnds(page);
  await openGroups(page);
  const card = page.locator('[data-testid="tool-card"][data-tool-name="run_bash"]');
  await card.waitFor();
  assert.match((await card.textContent()) ?? "", /7/);
});
