import { readFileSync } from 'node:fs';

/** The version of this package. */
export const VERSION: string = /* @__PURE__ */ readVersion();

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
