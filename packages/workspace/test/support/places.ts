import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { localDirectory, recordWorkspace, type Workspace } from '../../src/index.ts';

/** The kinds of workspaces, with a function that opens one. Durable ones are stored in the given directory. */
export const PLACES: readonly (readonly [name: string, open: (directory: string) => Workspace])[] = [
  ['a local directory', (directory) => localDirectory(join(directory, 'workspace'))],
  ['records in memory', () => recordWorkspace(new InMemoryStore({ name: 'workspace' }).within(['some', 'place']))],
  ['records in files', (directory) => recordWorkspace(new FileStore({ directory, name: 'workspace' }))],
];
