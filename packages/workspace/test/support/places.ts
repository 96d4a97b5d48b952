import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { localDirectory, recordWorkspace, type Workspace } from '../../src/index.ts';

/** Where a workspace can be: each opens one, of what lies in a directory where it outlives the process. */
export const PLACES: readonly (readonly [name: string, open: (directory: string) => Workspace])[] = [
  ['a local directory', (directory) => localDirectory(join(directory, 'workspace'))],
  ['records in memory', () => recordWorkspace(new InMemoryStore({ name: 'workspace' }).within(['some', 'place']))],
  ['records in files', (directory) => recordWorkspace(new FileStore({ directory, name: 'workspace' }))],
];
