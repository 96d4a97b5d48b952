import { OpenedConfig, openConfig } from '@keepsake/config';
import { isMemoryError, type RecordStore, type SessionStore } from '@keepsake/core';
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
        ? await openConfig({ path: config, namespace })
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
