import type { Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import type { Workspace } from '../files/workspace.ts';

/** Where a memory is. */
export interface MemoryFiles {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  readonly paths: Paths;
}
