import { findConfig, OpenedConfig, openConfig } from '@keepsake/config';
import { isMemoryError, MemoryError, type RecordStore, type SessionStore } from '@keepsake/core';
import { FileSessionStore, FileStore } from '@keepsake/file';
import type { Arguments } from './arguments.ts';

/** The memory of the one user of this process. */
export interface OpenedMemory {
  readonly store: RecordStore;
  readonly sessions: SessionStore | undefined;
  close(): Promise<void>;
}

/** Opens what the arguments name. Creates no files before the first write. */
export async function openMemory({ config, directory, sqlite, namespace }: Arguments): Promise<OpenedMemory> {
  const opened =
    sqlite === undefined
      ? directory === undefined
        ? await openNamed(config, namespace)
        : filesIn(directory, namespace)
      : sqliteIn(sqlite, namespace);
  try {
    const store = await opened.memory();
    // Sessions have no namespace: those of all users are in one place.
    const sessions = namespace.length === 0 ? await sessionsOf(opened) : undefined;
    return { store, sessions, close: () => opened.close() };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** A configuration that was named, or else the files in `.keepsake`. */
function openNamed(config: string | undefined, namespace: Arguments['namespace']): Promise<OpenedConfig> {
  const configFile = config === undefined ? findConfig() : undefined;
  if (configFile === undefined) return openConfig({ path: config, namespace });
  // Clients start servers in the directory of a project, and nobody has read the programs in every one.
  throw new MemoryError(
    'INVALID_ARGUMENT',
    `There is a configuration, ${configFile}. It is a program, which runs only if you name it: pass --config ${configFile}, or --directory .keepsake for the files there.`,
  );
}

function filesIn(directory: string, namespace: Arguments['namespace']): OpenedConfig {
  const memory = () => new FileStore({ directory, name: 'memory' });
  const sessions = () => new FileSessionStore({ directory });
  return new OpenedConfig({ memory, sessions }, { path: directory, namespace });
}

function sqliteIn(file: string, namespace: Arguments['namespace']): OpenedConfig {
  // Loaded only here, because Node before 24.15 warns when node:sqlite is loaded.
  const load = () => import('@keepsake/sqlite');
  const memory = async () => new (await load()).SqliteStore({ file, name: 'memory' });
  const sessions = async () => new (await load()).SqliteSessionStore({ file });
  return new OpenedConfig({ memory, sessions }, { path: file, namespace });
}

async function sessionsOf(opened: OpenedConfig): Promise<SessionStore | undefined> {
  try {
    return await opened.sessions();
  } catch (error) {
    // A configuration needs none.
    if (isMemoryError(error, 'UNSUPPORTED')) return undefined;
    throw error;
  }
}
