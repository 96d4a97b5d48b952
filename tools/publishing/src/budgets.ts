import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The limits of an installed package, including everything that npm installs for it. */
export interface Budget {
  readonly package: string;
  readonly maxPackages: number;
  /** In units of 1,000,000 bytes: the total size of all files below `node_modules`. */
  readonly maxMegabytes: number;
}

export function readBudgets(): Budget[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../budgets.json'), 'utf8'));
}
