import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@keepsake/core';
import { FileSession, FileStore } from '@keepsake/file';

/*
 * A stand-in for the check that `@keepsake/file` will export. It reads all that can be read, tells of damaged lines, and
 * mends nothing.
 */

export interface Problem {
  readonly kind: string;
  readonly message: string;
  readonly mended: boolean;
  readonly mendable: boolean;
}

export interface FolderReport {
  readonly folder: string;
  readonly kind: 'session' | 'memory';
  /** The session's id, or the namespace; `undefined` where the log does not say. */
  readonly of: string | readonly string[] | undefined;
  /** Items of the session, or records of the namespace. */
  readonly entries: number;
  readonly bytes: number;
  readonly problems: readonly Problem[];
}

export async function* checkDirectory({
  directory,
}: {
  readonly directory: string;
  readonly mend?: boolean;
}): AsyncIterable<FolderReport> {
  for (const kind of ['session', 'memory'] as const) {
    const parent = join(directory, kind === 'session' ? 'sessions' : 'memory');
    if (!existsSync(parent)) continue;
    for (const name of readdirSync(parent).filter((one) => !one.startsWith('.'))) {
      yield await checkFolder(directory, join(parent, name), kind);
    }
  }
}

async function checkFolder(directory: string, folder: string, kind: 'session' | 'memory'): Promise<FolderReport> {
  const files = readdirSync(folder).map((name) => join(folder, name));
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const of = headerOf(files.find((file) => file.endsWith('.jsonl')));
  const problems: Problem[] = [];
  const damaged = (message: string) => problems.push({ kind: 'damaged', message, mended: false, mendable: false });
  const onCorrupt = ({ from, to }: { readonly from: number; readonly to: number }) => {
    damaged(from === to ? `line ${from} is damaged` : `lines ${from} to ${to} are damaged`);
  };
  let entries = 0;
  if (of === undefined) damaged('the log does not say whose it is');
  else entries = await countEntries(directory, of, onCorrupt);
  return { folder, kind, of, entries, bytes, problems };
}

function headerOf(log: string | undefined): string | string[] | undefined {
  const [first = ''] = log === undefined ? [] : readFileSync(log, 'utf8').split('\n', 1);
  try {
    return JSON.parse(first.slice(first.indexOf('{'))).of;
  } catch {
    return undefined;
  }
}

async function countEntries(
  directory: string,
  of: string | readonly string[],
  onCorrupt: (report: { readonly from: number; readonly to: number }) => void,
): Promise<number> {
  if (typeof of === 'string') {
    return (await new FileSession<JsonObject>({ directory, sessionId: of, onCorrupt }).getItems()).length;
  }
  const store = new FileStore({ directory, name: 'doctor', namespace: of, onCorrupt });
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await store.list({ limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    count += page.items.length;
    cursor = page.cursor;
  } while (cursor !== undefined);
  return count;
}
