import { isMemoryError, MemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { expectKnownFields, uuidv7 } from '@keepsake/core/adapter';
import { allItems } from '@keepsake/internal';
import { conflict } from './conflict.ts';
import { type Workspace, type WorkspaceFile, WRITE_OPTIONS } from './workspace.ts';
import { checkLine, checkPath, isBelow } from './workspace-path.ts';

/*
 * Below the namespace of the store, `files` has a record for each written file, with its path as the id. `lines`, with the
 * path below it, has one for each appended line, in order of arrival. The content is JSON, because a file may be empty and a
 * record may not. Content that is too long for a record is in `parts`, written before the record that refers to it.
 */

/** Escaped as JSON, each character takes at most 6 bytes; a record holds 1 MiB. */
const PART_CHARACTERS = 128 * 1024;
const PAGE = 200;
/** How many requests run at the same time. */
const PARALLEL = 50;
/** How many times to read a file that keeps being replaced. */
const MAX_READS = 20;

type Content = string | { readonly parts: readonly string[] };

/**
 * A workspace in a record store, below its namespace, for example in Redis. The store must be strongly consistent and able
 * to list.
 */
export function recordWorkspace(store: RecordStore): Workspace {
  const { consistency, enumerate } = store.capabilities;
  if (consistency !== 'strong' || !enumerate) {
    const what = 'A workspace needs a store with strong consistency that can list records.';
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
  /** `undefined` if a part is gone, because the file has just been replaced. */
  const decode = async (record: MemoryRecord): Promise<string | undefined> => {
    const content: Content = JSON.parse(record.content);
    if (typeof content === 'string') return content;
    const partRecords = await Promise.all(content.parts.map((id) => parts.get(id)));
    return partRecords.includes(undefined)
      ? undefined
      : partRecords.map((part) => JSON.parse(part?.content ?? '""')).join('');
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
  const pathsOfLines = async (): Promise<string[]> => {
    const paths: string[] = [];
    const depth = store.namespace.length + 2;
    for await (const { namespace } of allItems((page) => store.within(['lines']).namespaces(page), { limit: PAGE }))
      if (namespace.length === depth) paths.push(namespace.at(-1) as string);
    return paths;
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
    async write(path, text, options = {}) {
      const { ifVersion } = expectKnownFields(options, WRITE_OPTIONS);
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
      for (const path of await pathsOfLines()) paths.add(path);
      return [...paths].filter((path) => isBelow(path, folder)).sort();
    },
    async marks(folder) {
      if (folder !== '') checkPath(folder);
      const marks = new Map<string, string>();
      for await (const record of every(files, 'oldest'))
        if (isBelow(record.id, folder)) marks.set(record.id, versionOf(record));
      const paths = (await pathsOfLines()).filter((path) => isBelow(path, folder) && !marks.has(path));
      for (let from = 0; from < paths.length; from += PARALLEL) {
        await Promise.all(
          paths.slice(from, from + PARALLEL).map(async (path) => {
            const [last] = (await linesOf(path).list({ limit: 1, order: 'newest' })).items;
            if (last !== undefined) marks.set(path, versionOfLines(last));
          }),
        );
      }
      return marks;
    },
    async delete(path, options = {}) {
      const { ifVersion } = expectKnownFields(options, WRITE_OPTIONS);
      checkPath(path);
      const before = await files.get(path);
      if (before === undefined) {
        // One by one, so that concurrent appends stay.
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
    async clear({ compact = true } = {}) {
      await files.clear();
      await store.within(['lines']).clear({ descendants: true });
      // Last, with those that a killed process wrote for a file that it did not write.
      await parts.clear();
      if (compact) await store.compact?.();
    },
  };
}

/** A file that was removed and created again starts at version 1. */
function versionOf({ version, createdAt }: MemoryRecord): string {
  return `${version} of ${createdAt}`;
}

/** The last line identifies those before it, even if a killed process has removed some of the first. */
function versionOfLines({ id }: MemoryRecord): string {
  return `until ${id}`;
}

function every(store: RecordStore, order: 'oldest' | 'newest'): AsyncGenerator<MemoryRecord> {
  return allItems((page) => store.list({ ...page, order }), { limit: PAGE });
}
