// Hostile Markdown is inert, in what the user writes and in what the model says. The scripted
// model says what follows "Repeat exactly:".
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ask, launch, login, newContext, runEnds } from "./browser.mjs";

const HOSTILE = [
  "<script>window.hacked = 'script'</script>",
  '<img src="x" onerror="window.hacked = \'img\'">',
  "<svg onload=\"window.hacked = 'svg'\"></svg>",
  "<iframe srcdoc=\"<script>parent.hacked = 'frame'</script>\"></iframe>",
  "[link](javascript:window.hacked='link') [data](data:text/html,<script>1</script>)",
  "![picture](https://evil.example/pixel.png)",
  "$\\href{javascript:window.hacked='katex'}{x}$",
  '<a href="javascript:window.hacked=1" onclick="window.hacked=1">raw</a>',
  "<style>body { display: none }</style>",
  "**the end**",
].join("\n\n");

let browser;

before(async () => {
  browser = await launch();
});

after(() => browser.close());

test("a hostile message is inert", { timeout: 60_000 }, async () => {
  const context = await newContext(browser);
  const strangers = [];
  const page = await context.newPage();
  await login(page);
  const origin = new URL(page.url()).origin;
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol.startsWith("http")) strangers.push(request.url());
  });
  await ask(page, `Repeat exactly: ${HOSTILE}`);
  await page.getByTestId("assistant-message").filter({ hasText: "the end" }).waitFor();
  await runEnds(page);
  const inside = await page.getByTestId("timeline").evaluate((box) => ({
    elements: [...box.querySelectorAll("script, iframe, object, embed, style, img")].map(
      (e) => e.outerHTML,
    ),
    handlers: [...box.querySelectorAll("*")].flatMap((e) =>
      e
        .getAttributeNames()
        .filter((name) => name.startsWith("on"))
        .map((name) => `${e.tagName} ${name}`),
    ),
    links: [...box.querySelectorAll("[href]")].map((e) => e.getAttribute("href")),
  }));
  assert.deepEqual(inside.elements, []);
  assert.deepEqual(inside.handlers, []);
  for (const href of inside.links) assert.match(href, /^(https?:|mailto:|#)/);
  for (const link of await page.getByTestId("assistant-message").locator("a").all()) {
    if (/evil/.test((await link.getAttribute("href")) ?? "")) continue;
    await link.click();
  }
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(strangers, [], "the page asked another server for something");
  assert.deepEqual(context.faults, []);
});
