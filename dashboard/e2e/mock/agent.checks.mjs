// What the scripted agent of the stand-in server can do and the real server's scripted model
// cannot: questions, models, a shortened context, rules. (By its name only `e2e:mock` runs it.)
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { api, ask, launch, login, newContext, runEnds } from "../browser.mjs";

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

const card = (where) => where.getByTestId("question-card");

test("two tabs, one question: the first answer counts, the other tab sees it", async () => {
  const id = await ask(page, "permission for the fit");
  await card(page).waitFor();
  const other = await context.newPage();
  await other.goto(`/s/${id}`);
  await card(other).waitFor();
  // The other tab does not hear of the end, so that it answers what is closed already.
  const question = (await api(page, "GET", "/api/questions?status=open")).body.items[0];
  let release;
  const held = new Promise((resolve) => {
    release = resolve;
  });
  await other.route("**/answer", async (route) => {
    await held;
    await route.continue();
  });
  await other.getByTestId("decision-deny").click();
  await page.getByTestId("question-comment").fill("with care");
  await page.getByTestId("decision-once").click();
  await card(page).waitFor({ state: "detached" });
  await card(other).waitFor({ state: "detached" });
  const refused = other.waitForResponse((r) => r.url().endsWith(`${question.id}/answer`));
  release();
  assert.equal((await refused).status(), 409);
  await other
    .getByTestId("ask-late")
    .filter({ hasText: /another tab/ })
    .waitFor();
  for (const each of [page, other]) {
    await each.getByTestId("assistant-message").filter({ hasText: "settled" }).waitFor();
    await each.locator('[data-testid="consent"][data-decision="once"]').waitFor();
  }
  await other.close();
});

test("a question shows the whole call, and its answer reaches the agent", async () => {
  await ask(page, "two permissions");
  await card(page).nth(1).waitFor();
  const texts = await card(page).allTextContents();
  assert.match(texts[0], /cd data\/niriss && python fit\.py --steps 5000 --out/);
  assert.match(texts[0], /run_bash\(python fit\.py:\*\)/);
  assert.match(texts[1], /- - to be read: Lim et al\./);
  assert.match(texts[1], /\+ - Lim et al\. 2023/);
  assert.equal(await card(page).nth(1).getByTestId("decision-always").count(), 0);
  await card(page).nth(1).getByTestId("question-comment").fill("keep the old notes");
  await card(page).nth(1).getByTestId("decision-deny").click();
  await card(page).first().getByTestId("decision-always").click();
  await runEnds(page);
  const edit = page.locator('[data-tool-name="file_edit"]');
  assert.equal(await edit.getAttribute("data-status"), "error");
  assert.match(await edit.textContent(), /keep the old notes/);
});

test("the keyboard finds and answers a question, from any page", async () => {
  const id = await ask(page, "ask me");
  await card(page).waitFor();
  await page.goto("/settings/permissions");
  await page.getByTestId("ask-bar").filter({ hasText: "1 open question" }).waitFor();
  await page.waitForFunction(() => document.title.startsWith("(1) "));
  await page.keyboard.press("Alt+q");
  await page.waitForURL((url) => url.pathname === `/s/${id}`);
  await card(page).waitFor();
  await page.getByTestId("session-row").first().getByText("Waiting for your answer").waitFor();
  await page.keyboard.press("Alt+q");
  await page.waitForFunction(() => document.activeElement?.textContent?.startsWith("F1280W"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await runEnds(page);
  await page.getByTestId("assistant-message").filter({ hasText: "Noted" }).waitFor();
  await page.waitForFunction(() => !document.title.startsWith("("));
});

test("a prompt stands in while the card is out of sight", async () => {
  await page.setViewportSize({ width: 1280, height: 420 });
  await ask(page, "two permissions");
  await card(page).nth(1).waitFor();
  await page.getByTestId("timeline").evaluate((box) => box.scrollTo(0, 0));
  await page.getByTestId("timeline").evaluate((box) => {
    // Above the first card there is too little to hide it.
    box.firstElementChild.style.paddingTop = "900px";
    box.scrollTo(0, 0);
  });
  const prompt = page.getByTestId("ask-prompt");
  await prompt.filter({ hasText: "2 open questions" }).waitFor();
  await prompt.getByTestId("ask-show").click();
  await prompt.waitFor({ state: "detached" });
  await page.waitForFunction(() => document.activeElement?.dataset.testid === "decision-once");
  await page.getByTestId("stop").click();
  await runEnds(page);
  await card(page).first().waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1280, height: 860 });
});

test("an unanswered question closes by itself", async () => {
  await ask(page, "quick permission");
  await card(page).waitFor();
  await page.locator('[data-testid="consent"][data-decision="expired"]').waitFor();
  assert.equal(await card(page).count(), 0);
  await runEnds(page);
});

test("a model is chosen for a session, and for everybody", async () => {
  await page.goto("/");
  await page.getByTestId("model-menu").click();
  await page.locator('[data-testid="model-option"][data-model="llama-local"]').click();
  await page.getByTestId("thinking-switch").click();
  await page.getByTestId("composer").fill("Which model are you?");
  const run = page.waitForRequest((request) => request.url().endsWith("/runs"));
  await page.getByTestId("send").click();
  assert.equal((await run).postDataJSON().enable_thinking, true);
  await page.getByTestId("answer-model").filter({ hasText: "llama-local" }).waitFor();
  await runEnds(page);
  await page.getByTestId("model-menu").click();
  await page.getByTestId("model-everywhere").click();
  await page.goto("/");
  await page.getByTestId("model-menu").filter({ hasText: "llama-local" }).waitFor();
  const models = (await api(page, "GET", "/api/models")).body.items;
  assert.deepEqual(
    models.filter((each) => each.current).map((each) => each.name),
    ["llama-local"],
  );
  await ask(page, "switch the model");
  await page.getByTestId("model-switched").filter({ hasText: "glm-astro" }).waitFor();
  await runEnds(page);
});

test("the context is shortened and the summary taken back", async () => {
  await ask(page, "A question before the summary.");
  await runEnds(page);
  const gauge = page.getByTestId("context-gauge");
  await gauge.waitFor();
  const before = await gauge.getAttribute("data-percent");
  await gauge.click();
  await page.getByTestId("context-popover").filter({ hasText: "from the cache" }).waitFor();
  await page.getByTestId("compact-now").click();
  const summary = page.getByTestId("summary-card");
  await summary.waitFor();
  await page.waitForFunction(
    (old) => document.querySelector('[data-testid="context-gauge"]').dataset.percent !== old,
    before,
  );
  await page.keyboard.press("Escape");
  await summary.getByRole("button").first().click();
  await summary.filter({ hasText: "Only refereed papers" }).waitFor();
  await summary.getByTestId("summary-undo").click();
  await page.locator('[data-testid="summary-card"][data-undone="true"]').waitFor();
  assert.equal(await page.getByTestId("summary-undo").count(), 0);
  await page.reload();
  await page.locator('[data-testid="summary-card"][data-undone="true"]').waitFor();
});

test("rules are added, refused, tried and deleted", async () => {
  await page.goto("/settings/permissions");
  await page.getByTestId("rule-text").fill("not a rule!");
  await page.getByTestId("rule-add").click();
  await page.getByRole("alert").filter({ hasText: "tool(specifier)" }).waitFor();
  await page.getByTestId("rule-text").fill("run_bash(ls:*)");
  await page.getByLabel("Effect", { exact: true }).selectOption("deny");
  await page.getByTestId("rule-add").click();
  const rule = page.locator('[data-testid="rule"][data-rule="run_bash(ls:*)"]');
  await rule.waitFor();
  await page.getByTestId("try-tool").fill("run_bash");
  await page.getByTestId("try-arguments").fill('{"command": "ls -l"}');
  await page.getByTestId("try-run").click();
  await page.locator('[data-testid="try-result"][data-verdict="deny"]').waitFor();
  await rule.getByTestId("rule-delete").click();
  await rule.waitFor({ state: "detached" });
  await page.getByTestId("try-run").click();
  await page.locator('[data-testid="try-result"][data-verdict="allow"]').waitFor();
});

test("a hooks document with a fault is not stored, and the fault is named", async () => {
  await page.goto("/settings/hooks");
  const document = page.getByTestId("hooks-document");
  await document.fill('{"hooks": {"PreTolUse": []}}');
  await page.getByTestId("hooks-save").click();
  await page.getByTestId("hooks-problems").filter({ hasText: "/hooks/PreTolUse" }).waitFor();
  await document.fill('{"hooks": {"Stop": []}}');
  await page.getByTestId("hooks-save").click();
  await page.getByTestId("hooks-problems").waitFor({ state: "detached" });
  const stored = (await api(page, "GET", "/api/hooks")).body.document;
  assert.deepEqual(stored, { hooks: { Stop: [] } });
});

test("the audit is paged and filtered; a memory is changed", async () => {
  await page.goto("/settings/audit");
  await page.getByTestId("audit-row").nth(99).waitFor();
  await page.getByTestId("audit-more").click();
  await page.getByTestId("audit-row").nth(129).waitFor();
  await page.getByTestId("audit-filter").fill("deny file_write");
  await page.waitForFunction(() => {
    const rows = [...document.querySelectorAll('[data-testid="audit-row"]')];
    return rows.length === 32 && rows.every((row) => row.textContent.includes("deny"));
  });
  await page.goto("/settings/memories");
  await page.getByTestId("memory-search").fill("NIRISS");
  const memory = page.getByTestId("memory");
  await page.waitForFunction(
    () => document.querySelectorAll('[data-testid="memory"]').length === 1,
  );
  await memory.getByLabel("Edit this memory").click();
  await memory.getByRole("textbox").fill("The NIRISS spectra have moved.");
  await memory.getByRole("button", { name: "Save" }).click();
  await memory.filter({ hasText: "have moved" }).waitFor();
  await memory.getByLabel("Delete this memory").click();
  await page.getByTestId("memory-delete").click();
  await memory.waitFor({ state: "detached" });
});

for (const colorScheme of ["light", "dark"]) {
  for (const locale of ["en-GB", "zh-CN"]) {
    test(`no serious accessibility fault: ${colorScheme}, ${locale}`, {
      timeout: 120_000,
    }, async () => {
      const state = await context.storageState();
      const own = await newContext(browser, { colorScheme, locale, storageState: state });
      const view = await own.newPage();
      const check = async (name) => {
        await view.evaluate(() =>
          Promise.all(
            document
              .getAnimations()
              .filter((a) => a.effect?.getTiming().iterations !== Number.POSITIVE_INFINITY)
              .map((a) => a.finished.catch(() => undefined)),
          ),
        );
        const { violations } = await new AxeBuilder({ page: view }).analyze();
        const serious = violations.filter((v) => /serious|critical/.test(v.impact ?? ""));
        assert.deepEqual(
          serious.flatMap((v) => v.nodes.map((n) => `${name}: ${v.id}: ${n.target}`)),
          [],
        );
      };
      await view.goto("/");
      await view.getByTestId("composer").waitFor();
      await ask(view, "two permissions");
      await card(view).nth(1).waitFor();
      await check("questions");
      await view.getByTestId("stop").click();
      await runEnds(view);
      await ask(view, "compact");
      await runEnds(view);
      await view.getByTestId("summary-card").getByRole("button").first().click();
      await view.getByTestId("context-gauge").click();
      await view.getByTestId("context-popover").waitFor();
      await check("summary and gauge");
      await view.keyboard.press("Escape");
      await view.getByTestId("model-menu").click();
      await view.getByTestId("model-option").first().waitFor();
      await check("model menu");
      await view.keyboard.press("Escape");
      await ask(view, "hooks");
      await runEnds(view);
      await check("hooks");
      for (const part of ["", "permissions", "hooks", "skills", "memories", "audit", "metrics"]) {
        await view.goto(`/settings/${part}`);
        await view.getByRole("heading", { level: 1 }).waitFor();
        await check(`settings/${part}`);
      }
      assert.deepEqual(own.faults, []);
      await own.close();
    });
  }
}

test("nothing went wrong on the way, the content policy included", () => {
  assert.deepEqual(context.faults, []);
});
