// Writes `.br` and `.gz` beside every compressible file of dist, so that the server can send them
// by Accept-Encoding without compressing anything at run time.
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

const root = fileURLToPath(new URL("../dist", import.meta.url));
const COMPRESSIBLE = /\.(?:html|js|css|svg|json|txt|webmanifest)$/;
const MIN_BYTES = 1024;
const totals = { files: 0, raw: 0, gz: 0, br: 0 };

for (const entry of await readdir(root, { recursive: true })) {
  const path = join(root, entry);
  const info = await stat(path);
  if (!info.isFile()) continue;
  if (/\.(?:br|gz)$/.test(entry)) continue;
  totals.files += 1;
  totals.raw += info.size;
  if (!COMPRESSIBLE.test(entry) || info.size <= MIN_BYTES) {
    totals.gz += info.size;
    totals.br += info.size;
    continue;
  }
  const bytes = await readFile(path);
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
    promisify(gzip)(bytes, { level: 9 }),
  ]);
  await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
  totals.gz += gz.length;
  totals.br += br.length;
}

const kib = (n) => `${(n / 1024).toFixed(0)} KiB`;
console.log(
  `dist: ${totals.files} files, ${kib(totals.raw)} raw, ${kib(totals.gz)} gzip, ${kib(totals.br)} brotli`,
);
