// What the browser tests share: Debian's Chromium, the login, and conditions instead of sleeps.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

export const BASE = process.env.ALMAGEST_URL ?? "http://127.0.0.1:8480";
export const USER = process.env.ALMAGEST_TEST_USER ?? "admin";
export const PASSWORD = process.env.ALMAGEST_TEST_PASSWORD ?? "admin";
export const DEMO_QUESTION =
  "What limits do we have on the atmosphere of TRAPPIST-1 b? Which papers report them?";

/** Present once a run has begun, whether it still runs or not. */
const BEGUN = ["stop", "assistant-message", "run-end", "summary-card"]
  .map((id) => `[data-testid="${id}"]`)
  .join(", ");

const CHROMIUM = [process.env.ALMAGEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser"];

export function launch() {
  const executablePath = CHROMIUM.find((path) => path && existsSync(path));
  assert.ok(executablePath, "Chromium is not installed (apt-get install chromium)");
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
}

/** A context whose pages fail the test on a script error or a breach of the content policy. */
export async function newContext(browser, options = {}) {
  const context = await browser.newContext({
    baseURL: BASE,
    locale: "en-GB",
    viewport: { width: 1280, height: 860 },
    ...options,
  });
  context.faults = [];
  context.on("weberror", (error) => context.faults.push(String(error.error())));
  context.on("console", (message) => {
    if (message.type() !== "error") return;
    const text = message.text();
    // The browser itself reports refused requests (a wrong password, a tab that is logged out).
    if (/Failed to load resource|net::ERR/.test(text)) return;
    context.faults.push(text);
  });
  return context;
}

export async function login(page) {
  await page.goto("/login");
  await page.getByTestId("login-username").fill(USER);
  await page.getByTestId("login-password").fill(PASSWORD);
  await page.getByTestId("login-submit").click();
  await page.getByTestId("logout").waitFor();
}

/** Starts a session with a question; resolves with its id once the page shows it. */
export async function ask(page, question) {
  await page.getByTestId("new-session").click();
  await page.waitForURL((url) => url.pathname === "/");
  // The address changes a moment before the page does, here and below.
  await page.getByTestId("timeline").waitFor({ state: "detached" });
  await page.getByTestId("composer").fill(question);
  await page.getByTestId("send").click();
  await page.waitForURL(/\/s\/[^/?]+/);
  await page.locator('[data-testid="timeline"][data-status="ready"]').waitFor();
  // The run begins a moment after the question is shown. From here on the button to stop it says whether it runs.
  await page.locator(BEGUN).first().waitFor();
  return new URL(page.url()).pathname.split("/")[2];
}

/** Waits until nothing runs any more on the page. */
export async function runEnds(page, timeout = 60_000) {
  await page.getByTestId("stop").waitFor({ state: "detached", timeout });
}

/** Opens every folded group of work, so that its cards can be looked at. */
export async function openGroups(page) {
  for (const toggle of await page.getByTestId("work-group-toggle").all()) {
    if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  }
}

/** A request as the page would make it, with its cookie. */
export function api(page, method, path, body) {
  return page.evaluate(
    async ([verb, url, data]) => {
      const response = await fetch(url, {
        method: verb,
        headers: data ? { "content-type": "application/json" } : {},
        ...(data ? { body: JSON.stringify(data) } : {}),
      });
      const text = await response.text();
      return { status: response.status, body: text ? JSON.parse(text) : null };
    },
    [method, path, body ?? null],
  );
}
