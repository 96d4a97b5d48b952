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
  sessionId: string,
  itemCount: number,
  createdAt: string,
  updatedAt: string,
];

function listPath(parent: string): string {
  return join(indexFolder(parent), 'list');
}

/** The entries of the saved list that are intact, or none. */
export async function readSavedList(parent: string): Promise<KnownFolder[]> {
  return (await readSavedLines<SavedFolder>(listPath(parent), HEADER)).map(decode);
}

/** Replaces the saved list by the folders that hold a session. */
export function saveList(parent: string, folders: Iterable<KnownFolder>): Promise<void> {
  return saveLines(listPath(parent), HEADER, encoded(folders));
}

/** Removes a folder from the saved list. */
export function forgetSaved(parent: string, name: string): void {
  forgetLine(listPath(parent), name);
}

function* encoded(folders: Iterable<KnownFolder>): Iterable<SavedFolder> {
  for (const { name, stamp, session } of folders) {
    if (session === undefined) continue;
    yield [name, stamp, session.sessionId, session.itemCount, session.createdAt, session.updatedAt];
  }
}

function decode([name, stamp, sessionId, itemCount, createdAt, updatedAt]: SavedFolder): KnownFolder {
  return { name, stamp, isSettled: true, session: { sessionId, itemCount, createdAt, updatedAt } };
}
