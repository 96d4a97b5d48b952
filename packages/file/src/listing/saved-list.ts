import { join } from 'node:path';
import { indexFolder } from '../disk/file-names.ts';
import type { KnownFolder } from './known-folder.ts';
import { forgetLine, readSavedLines, saveLines } from './saved-lines.ts';

/*
 * The saved list of all sessions. An entry is used only if its folder was not touched since.
 */

const HEADER = { keepsake: 'session-list', version: 1 } as const;

type SavedFolder = readonly [
  name: string,
  stamp: number,
  ...info: readonly [string, number, string, string] | readonly [],
];

function listPath(parent: string): string {
  return join(indexFolder(parent), 'list');
}

/** The entries of the saved list that are intact, or none. */
export async function readSavedList(parent: string): Promise<KnownFolder[]> {
  return (await readSavedLines<SavedFolder>(listPath(parent), HEADER)).map(decode);
}

/** Replaces the saved list. */
export function saveList(parent: string, folders: Iterable<KnownFolder>): Promise<void> {
  return saveLines(listPath(parent), HEADER, encoded(folders));
}

/** Removes a folder from the saved list. */
export function forgetSaved(parent: string, name: string): void {
  forgetLine(listPath(parent), name);
}

function* encoded(folders: Iterable<KnownFolder>): Iterable<SavedFolder> {
  for (const one of folders) yield encode(one);
}

function encode({ name, stamp, session }: KnownFolder): SavedFolder {
  if (session === undefined) return [name, stamp];
  return [name, stamp, session.sessionId, session.itemCount, session.createdAt, session.updatedAt];
}

function decode([name, stamp, ...info]: SavedFolder): KnownFolder {
  const [sessionId, itemCount, createdAt, updatedAt] = info;
  if (sessionId === undefined) return { name, stamp, isSettled: true, session: undefined };
  return {
    name,
    stamp,
    isSettled: true,
    session: { sessionId, itemCount, createdAt, updatedAt } as KnownFolder['session'],
  };
}
