import { resolve } from 'node:path';
import type { Namespace } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';
import type { KeepsakeConfig } from './config.ts';
import { findConfig } from './find-config.ts';
import { loadConfig } from './load-config.ts';
import { OpenedConfig } from './opened-config.ts';

/** Options of {@link openConfig}. */
export interface OpenConfigOptions {
  /** The configuration file. @default The nearest one, from `cwd` upwards, or else the files in `.keepsake` of `cwd`. */
  readonly path?: string | undefined;
  /** The directory that paths are relative to. @default That of the process. */
  readonly cwd?: string | undefined;
  /** The namespace below the configured store to use as its root. @default [] */
  readonly namespace?: Namespace | undefined;
}

const OPTIONS: FieldNames<OpenConfigOptions> = { path: true, cwd: true, namespace: true };

/** The directory of files without a configuration. */
const DIRECTORY = '.keepsake';

/**
 * Reads the configuration and opens nothing: each part is opened when it is first needed. Runs the code of the file, so pass
 * no file that you don't trust. Close the result.
 *
 * @throws MemoryError `INVALID_ARGUMENT` if there is no file at `path`, its code fails or imports a missing package, or its
 *   default export is no configuration.
 *
 * @example
 * const config = await openConfig();
 * const memory = await config.memory();
 * await config.close();
 */
export async function openConfig(options: OpenConfigOptions = {}): Promise<OpenedConfig> {
  const { path, cwd = process.cwd(), namespace } = expectKnownFields(options, OPTIONS);
  expect(path === undefined || (typeof path === 'string' && path !== ''), '`path` must be the path of a file.');
  expect(typeof cwd === 'string' && cwd !== '', '`cwd` must be the path of a directory.');
  const file = path === undefined ? findConfig(cwd) : resolve(cwd, path);
  if (file !== undefined) return new OpenedConfig(await loadConfig(file), { path: file, namespace });
  const directory = resolve(cwd, DIRECTORY);
  return new OpenedConfig(filesIn(directory), { path: directory, namespace });
}

function filesIn(directory: string): KeepsakeConfig {
  const load = () => import('@keepsake/file');
  return {
    memory: async () => new (await load()).FileStore({ directory, name: 'memory' }),
    sessions: async () => new (await load()).FileSessionStore({ directory }),
  };
}
