import { isMemoryError, MemoryError, type MemoryRecord, type RecordStore, uuidv7 } from '@keepsake/core';
import { conflict } from './conflict.ts';
import type { Workspace, WorkspaceFile } from './workspace.ts';
import { checkLine, checkPath, isBelow } from './workspace-path.ts';

/*
 * Below the namespace of the store: `files` holds a record for each file that is written, its path the id; `lines`, and
 * below it the path, one for each line that was appended, in the order in which they landed. The content is JSON, since
 * a file may be empty and a record not. What is too long for a record lies in `parts`, before the record that names it.
 */

/** Escaped as JSON, each character takes at most 6 bytes; a record holds 1 MiB. */
const PART_CHARACTERS = 128 * 1024;
const PAGE = 200;
/** How often to read what others replace all the while. */
const MAX_READS = 20;

type Content = string | { readonly parts: readonly string[] };

/**
 * A workspace in a record store, below its namespace: files live where the store does, in Redis for one. The store is to
 * be strongly consistent and able to list.
 */
export function recordWorkspace(store: RecordStore): Workspace {
  const { consistency, enumerate } = store.capabilities;
  if (consistency !== 'strong' || !enumerate) {
    const what = 'A workspace needs a store that lists its records and sees its own writes at once.';
    throw new MemoryError('UNSUPPORTED', `${what} Use another backend.`);
  }
  const files = store.within(['files']);
  const parts = store.within(['parts']);
  const linesOf = (path: string) => store.within(['lines', path]);

  const encode = async (text: string): Promise<Content> => {
    if (text.length <= PART_CHARACTERS) return text;
    const ids: string[] = [];
    for (let from = 0; from < text.length; from += PART_CHARACTERS) {
      const id = uuidv7();
      await parts.put({ id, content: JSON.stringify(text.slice(from, from + PART_CHARACTERS)), index: false });
      ids.push(id);
    }
    return { parts: ids };
  };
  /** `undefined` where a part is gone: the file was replaced in this moment. */
  const decode = async (record: MemoryRecord): Promise<string | undefined> => {
    const content: Content = JSON.parse(record.content);
    if (typeof content === 'string') return content;
    const found = await Promise.all(content.parts.map((id) => parts.get(id)));
    return found.includes(undefined) ? undefined : found.map((part) => JSON.parse(part?.content ?? '""')).join('');
  };
  const dropParts = async (record: MemoryRecord | undefined) => {
    const content: Content = record === undefined ? '' : JSON.parse(record.content);
    if (typeof content !== 'string') for (const id of content.parts) await parts.delete(id);
  };
  const readFile = async (path: string): Promise<WorkspaceFile | undefined> => {
    for (let attempt = 0; attempt < MAX_READS; attempt++) {
      const record = await files.get(path);
      if (record === undefined) return undefined;
      const text = await decode(record);
      if (text !== undefined) return { text, version: versionOf(record) };
    }
    throw new MemoryError('CORRUPT', `Parts of ${path} are missing in the store. Restore it from a backup.`);
  };
  const readLines = async (path: string): Promise<WorkspaceFile | undefined> => {
    const lines: string[] = [];
    let last: MemoryRecord | undefined;
    for await (const record of every(linesOf(path), 'oldest')) {
      lines.push((await decode(record)) ?? '');
      last = record;
    }
    return last && { text: lines.map((line) => `${line}\n`).join(''), version: versionOfLines(last) };
  };

  return {
    async read(path) {
      checkPath(path);
      return (await readFile(path)) ?? (await readLines(path));
    },
    async write(path, text, { ifVersion } = {}) {
      checkPath(path);
      const before = await files.get(path);
      if (ifVersion !== undefined && (before === undefined ? null : versionOf(before)) !== ifVersion)
        throw conflict(path);
      const content = await encode(text);
      const expected = ifVersion === undefined ? {} : { ifVersion: before?.version ?? 0 };
      try {
        const record = await files.put({ id: path, content: JSON.stringify(content), index: false }, expected);
        await dropParts(before);
        return versionOf(record);
      } catch (error) {
        if (typeof content !== 'string') for (const id of content.parts) await parts.delete(id);
        throw isMemoryError(error, 'CONFLICT') ? conflict(path) : error;
      }
    },
    async append(path, line) {
      checkPath(path);
      checkLine(line);
      await linesOf(path).put({ content: JSON.stringify(await encode(line)), index: false });
    },
    async list(folder) {
      if (folder !== '') checkPath(folder);
      const paths = new Set<string>();
      for await (const { id } of every(files, 'oldest')) paths.add(id);
      const depth = store.namespace.length + 2;
      for (let cursor: string | undefined; ; ) {
        const page = await store.within(['lines']).namespaces({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
        for (const { namespace } of page.items) if (namespace.length === depth) paths.add(namespace.at(-1) as string);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      return [...paths].filter((path) => isBelow(path, folder)).sort();
    },
    async delete(path, { ifVersion } = {}) {
      checkPath(path);
      const before = await files.get(path);
      if (before === undefined) {
        // One by one, so that what is appended meanwhile stays.
        const lines: MemoryRecord[] = [];
        for await (const record of every(linesOf(path), 'oldest')) lines.push(record);
        const last = lines.at(-1);
        if (last === undefined) return false;
        if (ifVersion !== undefined && versionOfLines(last) !== ifVersion) throw conflict(path);
        for (const record of lines) {
          await linesOf(path).delete(record.id);
          await dropParts(record);
        }
        return true;
      }
      if (ifVersion !== undefined && versionOf(before) !== ifVersion) throw conflict(path);
      const removed = await files.delete(path, ifVersion === undefined ? {} : { ifVersion: before.version });
      await dropParts(before);
      return removed;
    },
  };
}

/** A file that was removed and made again begins at version 1 again. */
function versionOf({ version, createdAt }: MemoryRecord): string {
  return `${version} of ${createdAt}`;
}

/** The last line tells what is before it, also where a killed process has removed the first of them. */
function versionOfLines({ id }: MemoryRecord): string {
  return `until ${id}`;
}

async function* every(store: RecordStore, order: 'oldest' | 'newest'): AsyncGenerator<MemoryRecord> {
  for (let cursor: string | undefined; ; ) {
    const page = await store.list({ limit: PAGE, order, ...(cursor !== undefined && { cursor }) });
    yield* page.items;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
