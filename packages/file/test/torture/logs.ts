import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { CorruptionReport } from '../../src/index.ts';
import { FileSession, FileSessionStore, FileStore } from '../../src/index.ts';
import { filesBelow } from '../folder.ts';

/* Logs with records at known offsets, for tests that damage them. */

/** The owner of a log: a session or a store. */
export interface LogOwner {
  readonly name: 'sessions' | 'stores';
  /** Appends a batch. */
  add(directory: string, texts: readonly string[]): Promise<void>;
  /** Appends a line of `bytes` bytes, and closes open files. */
  addLong(directory: string, text: string, bytes: number): Promise<void>;
  /** Reads everything, and returns the reported damage too. */
  read(directory: string): Promise<Reading>;
  /** Fails unless each text is found by id and by a word. Does nothing for sessions. */
  find(directory: string, texts: readonly string[]): Promise<void>;
}

interface Reading {
  readonly texts: string[];
  readonly reports: CorruptionReport[];
}

export const sessions: LogOwner = {
  name: 'sessions',
  add: (directory, texts) =>
    new FileSession({ directory, sessionId: 'chat', durability: 'os', onCorrupt() {} }).addItems(
      texts.map((text) => ({ text })),
    ),
  addLong: (directory, text, bytes) =>
    new FileSession({ directory, sessionId: 'chat', durability: 'os', onCorrupt() {} }).addItems([
      { text, padding: 'x'.repeat(bytes) },
    ]),
  async read(directory) {
    const reports: CorruptionReport[] = [];
    const onCorrupt = (report: CorruptionReport) => reports.push(report);
    const items = await new FileSession<{ text: string }>({ directory, sessionId: 'chat', onCorrupt }).getItems();
    await new FileSessionStore({ directory, onCorrupt }).list();
    return { texts: items.map(({ text }) => text), reports };
  },
  async find() {
    // Items have neither ids nor a search.
  },
};

export const stores: LogOwner = {
  name: 'stores',
  async add(directory, texts) {
    const store = new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt() {} });
    await store.putMany(texts.map((text) => ({ id: text, content: `heron ${text}` })));
  },
  async addLong(directory, text, bytes) {
    const store = new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt() {} });
    await store.put({ id: text, content: `heron ${text}`, metadata: { padding: 'x'.repeat(bytes) } });
    await store.close();
  },
  async read(directory) {
    const reports: CorruptionReport[] = [];
    const store = new FileStore({ directory, name: 'memory', onCorrupt: (report) => reports.push(report) });
    const { items } = await store.list({ order: 'oldest', limit: 1000 });
    const found = await store.search('heron', { maxSearchResults: 1000 });
    if (found.length !== items.length)
      throw new Error(`${items.length} records are listed, but ${found.length} are found.`);
    for (const { id, content } of items) if (content !== `heron ${id}`) throw new Error('A record has changed.');
    return { texts: items.map(({ id }) => id), reports };
  },
  async find(directory, texts) {
    const store = new FileStore({ directory, name: 'memory', onCorrupt() {} });
    for (const text of texts) {
      if ((await store.get(text))?.content !== `heron ${text}`) throw new Error(`${text} is not found by its id.`);
      const found = await store.search(text.slice(0, 3), { maxSearchResults: 1000 });
      if (!found.some(({ id }) => id === text)) throw new Error(`${text} is not found by its words.`);
    }
  },
};

/** The current files of a directory, which can be restored any number of times. */
export class Snapshot {
  readonly directory: string;
  readonly #files: ReadonlyMap<string, Buffer>;

  constructor(directory: string) {
    this.directory = directory;
    this.#files = new Map(filesBelow(directory).map((path) => [path, readFileSync(path)]));
  }

  restore(): void {
    for (const path of filesBelow(this.directory)) if (!this.#files.has(path)) rmSync(path);
    for (const [path, bytes] of this.#files) writeFileSync(path, bytes);
  }

  /** Creates another directory with the same files. */
  copyTo(directory: string): void {
    mkdirSync(directory, { recursive: true });
    for (const [path, bytes] of this.#files) {
      const copy = join(directory, relative(this.directory, path));
      mkdirSync(dirname(copy), { recursive: true });
      writeFileSync(copy, bytes);
    }
  }

  /** The path of the only log. */
  get log(): string {
    const logs = filesBelow(this.directory).filter((path) => /\/log-[^/]+\.jsonl$/.test(path));
    if (logs.length !== 1) throw new Error(`Expected one log, found ${logs.length}.`);
    return logs[0] as string;
  }

  /** The paths of all non-empty files besides the log. */
  get others(): string[] {
    const { log } = this;
    return filesBelow(this.directory).filter((path) => path !== log && readFileSync(path).length > 0);
  }
}

/** Removes all files beside a log except its lock. */
export function removeCompanions(log: string): void {
  for (const name of readdirSync(dirname(log))) {
    const path = join(dirname(log), name);
    if (path !== log && !name.startsWith('lock-')) rmSync(path, { recursive: true });
  }
}

/** The offsets of the lines, and the end of the log. */
export function lineStarts(log: Buffer): number[] {
  const starts = [0];
  for (let at = log.indexOf(10); at !== -1; at = log.indexOf(10, at + 1)) starts.push(at + 1);
  return starts;
}

/** Flips one bit of a file; bits are counted from 0. */
export function flipBit(path: string, bit: number): void {
  const bytes = readFileSync(path);
  const byte = bit >> 3;
  bytes[byte] = (bytes[byte] as number) ^ (1 << (bit & 7));
  writeFileSync(path, bytes);
}
