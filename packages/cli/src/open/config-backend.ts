import { relative } from 'node:path';
import { openConfig } from '@keepsake/config';
import type { Surroundings } from '../surroundings.ts';
import type { Backend } from './backend.ts';

/** The backend of a configuration file. Its functions are called when a command needs what they return. */
export async function configBackend(file: string, surroundings: Surroundings): Promise<Backend> {
  const cwd = surroundings.cwd();
  const { path, configuration } = await openConfig({ path: file, cwd });
  const below = relative(cwd, path);
  return { kind: 'configuration', path: below.startsWith('..') ? path : below, configuration };
}
