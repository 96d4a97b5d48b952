import { relative } from 'node:path';
import { openConfig } from '@keepsake/config';
import type { Backend } from './backend.ts';

/** The backend of a configuration file. Its functions are called when a command needs what they return. */
export async function configBackend(file: string): Promise<Backend> {
  const { path, configuration } = await openConfig({ path: file });
  const below = relative(process.cwd(), path);
  return { kind: 'configuration', path: below.startsWith('..') ? path : below, configuration };
}
