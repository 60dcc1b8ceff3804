// The library: papers come in by their identifiers, are found again by the address, tagged, taken out and deleted.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, login, newContext } from "./browser.mjs";

const GREENE = "2023Natur.618...39G";
const IH = "2023ApJ...952L...4I";

let browser;
let context;
let page;

before(async () => {
  browser = await launch();
  context = await newContext(browser);
  page = await context.newPage();
  await login(page);
});

after(async () => {
  await browser.close();
  assert.deepEqual(context.faults, []);
});

const rows = () => page.getByTestId("library-paper");

test("identifiers are answered one by one, and those that failed stay", {
  timeout: 60_000,
}, async () => {
  await page.getByTestId("library-link").click();
  await page.waitForURL((url) => url.pathname === "/library");
  await page.getByText("No papers yet.").waitFor();
  await page.getByTestId("library-add").click();
  await page.getByTestId("library-identifiers").fill(`${GREENE}, arXiv: 2303.14849\nnonsense`);
  await page.getByTestId("library-add-submit").click();
  const refused = page.getByTestId("library-refused");
  await refused.getByText("is no identifier of a paper").waitFor();
  await page.waitForFunction(
    () => document.querySelector('[data-testid="library-identifiers"]').value === "nonsense",
  );
  await page.keyboard.press("Escape");
  await rows().first().waitFor();
  assert.equal(await rows().count(), 1, "two names of one paper");
  assert.match(await page.getByTestId("library-count").textContent(), /^1 paper$/);
});

test("filters live in the address", { timeout: 60_000 }, async () => {
  await page.getByRole("button", { name: "Edit tags" }).click();
  await page.getByRole("combobox", { name: "Tags, apart by commas" }).fill("to read, JWST");
  await page.keyboard.press("Enter");
  await rows().getByRole("button", { name: "JWST" }).click();
  await page.waitForURL((url) => url.searchParams.get("tag") === "JWST");
  await page.getByTestId("library-search").fill("no such words");
  await page.waitForURL((url) => url.searchParams.get("q") === "no such words");
  await page.getByText("No paper of the library fits").waitFor();
  await page.goto("/library?tag=JWST&q=trappist&sort=title");
  await rows().first().waitFor();
  assert.equal(await page.getByTestId("library-search").inputValue(), "trappist");
  await page.getByRole("button", { name: "Show all" }).click();
  await page.waitForURL((url) => url.search === "?sort=title");
});

test("papers are taken out, come back as they were, and are deleted", {
  timeout: 60_000,
}, async () => {
  await rows().first().getByRole("checkbox").check();
  await page.getByRole("button", { name: "Take out" }).click();
  await page.getByText("No papers yet.").waitFor();
  await page.getByTestId("library-add").click();
  await page.getByTestId("library-identifiers").fill("10.1038/s41586-023-05951-7");
  await page.getByTestId("library-add-submit").click();
  await rows().getByRole("button", { name: "JWST" }).waitFor();
  await rows().first().getByRole("button", { name: "Delete this paper" }).click();
  await page.getByTestId("library-delete-confirm").click();
  await page.getByText("No papers yet.").waitFor();
  await page.reload();
  await page.getByText("No papers yet.").waitFor();
});

test("a suggestion is merged with one press", { timeout: 60_000 }, async () => {
  const added = await page.request.post("/api/library", {
    headers: { origin: new URL(page.url()).origin },
    data: { identifiers: [GREENE, IH] },
  });
  const ids = (await added.json()).items.map((item) => item.paper_id);
  const papers = await Promise.all(
    ids.map(async (id) => (await page.request.get(`/api/papers/${id}`)).json()),
  );
  // The recorded services hold no look-alikes: the suggestion is made up, what the button does is not.
  let open = [{ papers, reason: "The titles are the same." }];
  await page.route("**/api/library/duplicates", (route) =>
    route.fulfill({ json: { items: open } }),
  );
  await page.reload();
  await page.waitForFunction(
    () => document.querySelectorAll('[data-testid="library-paper"]').length === 2,
  );
  await page.getByTestId("library-look-alikes").locator("summary").click();
  open = [];
  await page.getByRole("button", { name: "Merge" }).click();
  await page.getByTestId("library-look-alikes").waitFor({ state: "detached" });
  assert.equal(await rows().count(), 1);
  await rows().first().getByRole("button", { name: "Delete this paper" }).click();
  await page.getByTestId("library-delete-confirm").click();
  await page.getByText("No papers yet.").waitFor();
});
