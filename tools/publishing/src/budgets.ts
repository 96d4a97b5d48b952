import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What an installed package may cost at most, with all that npm installs for it. */
export interface Budget {
  readonly package: string;
  readonly maxPackages: number;
  /** Of 1,000,000 bytes: the sizes of all files below `node_modules`, added up. */
  readonly maxMegabytes: number;
}

export function readBudgets(): Budget[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, '../budgets.json'), 'utf8'));
}
