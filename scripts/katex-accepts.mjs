// Which formulas KaTeX accepts: reads a JSON list of TeX on standard input, writes a JSON list of true and false.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const katex = createRequire(new URL('../dashboard/package.json', import.meta.url))('katex');
const accepts = (tex) => {
  try {
    katex.renderToString(tex, { throwOnError: true, strict: false, displayMode: true, maxExpand: 1000 });
    return true;
  } catch {
    return false;
  }
};
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(accepts)));
