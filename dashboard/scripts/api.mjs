// Writes src/api/schema.gen.ts from openapi.json; with --check it only fails when they differ.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const TARGET = new URL("../src/api/schema.gen.ts", import.meta.url);
const document = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

// The client goes by path and method. Names of operations repeat between resources ("get", "list"),
// which the generated interface of operations could not hold.
for (const path of Object.values(document.paths)) {
  for (const operation of Object.values(path)) delete operation.operationId;
}

const ast = await openapiTS(document, {
  // A field with a default may be left out of a request.
  defaultNonNullable: false,
});
const fresh = `// Made from openapi.json by \`npm run api\`. Do not edit.\n\n${astToString(ast)}`;

if (process.argv.includes("--check")) {
  if (readFileSync(TARGET, "utf8") !== fresh) {
    console.error("src/api/schema.gen.ts is not what openapi.json gives: run `npm run api`.");
    process.exitCode = 1;
  }
} else {
  writeFileSync(TARGET, fresh);
}
