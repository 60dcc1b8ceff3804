// `npm run e2e:mock`: every browser test, each file against a stand-in server of its own.
import { spawn } from "node:child_process";
import { readdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { Mock } from "./server.mjs";

const folder = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
// Beside the tests that any server passes, those of what only this one can be made to do.
const own = (await readdir(`${folder}/mock`)).map((name) => `mock/${name}`);
const files = [...(await readdir(folder)), ...own].filter(
  (name) =>
    /\.(test|checks)\.mjs$/.test(name) &&
    (wanted.length === 0 || wanted.some((w) => name.includes(w))),
);
let failed = 0;
for (const file of files.sort()) {
  const mock = await new Mock({ pace: file.startsWith("stop") ? 1 : 0.5 }).start();
  const code = await new Promise((resolve) => {
    spawn(process.execPath, ["--test", "--test-reporter=spec", `${folder}/${file}`], {
      stdio: "inherit",
      env: {
        ...process.env,
        ALMAGEST_URL: mock.url,
        ALMAGEST_TEST_USER: mock.user.username,
        ALMAGEST_TEST_PASSWORD: mock.user.password,
      },
    }).on("exit", resolve);
  });
  await mock.stop();
  if (code !== 0) failed += 1;
}
process.exitCode = failed === 0 ? 0 : 1;
