import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Namespace, NamespaceInfo } from '@keepsake/core';
import type { NamespaceList as NamespacePage } from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { listFolder } from '../disk/disk.ts';
import { indexFolder, isFolderName, memoryFolder, namespaceFolder } from '../disk/file-names.ts';
import { serially } from '../disk/in-turn.ts';
import type { reportOnce } from '../log/corruption.ts';
import { LogFollower } from '../log/log-follower.ts';
import { findIdentity } from '../log/log-header.ts';
import { CountView } from '../stores/count-view.ts';
import type { MemoryLine } from '../stores/memory-line.ts';
import { countUnidentified } from './count-unidentified.ts';
import { lastTouch, RECENT_MS } from './last-touch.ts';
import { forgetLine, readSavedLines, saveLines } from './saved-lines.ts';

/** A namespace that has a folder. */
interface KnownNamespace {
  /** The name of its folder. */
  readonly name: string;
  readonly namespace: Namespace;
  /** Sorts a parent before its children, as `nextNamespaces` does. */
  readonly key: string;
  /** When the folder had been touched last as its records were counted, in milliseconds since 1970; 0 if the count is of no use. */
  stamp: number;
  count: number;
  /** When the next record expires, so that the count holds no longer. */
  expires: number;
}

const HEADER = { keepsake: 'namespace-list', version: 1 } as const;

type SavedNamespace = readonly [
  name: string,
  namespace: Namespace,
  stamp: number,
  count: number,
  expires: number | null,
];

/** If at least this many namespaces had to be read, the list is saved for the next process. */
const SAVE_FROM = 100;
/** The list is saved again when this part of it was read again. */
const UNSAVED_PART = 1 / 8;

/**
 * The namespaces of a directory, kept in memory. A folder holds the same namespace as long as it exists, so its log is read
 * only once for that. Its records are counted again when it was touched: every change touches the folder, because it renames
 * the lock.
 */
export class NamespaceList {
  readonly #directory: string;
  readonly #parent: string;
  readonly #report: ReturnType<typeof reportOnce>;
  /** By the name of the folder. */
  readonly #entries = new Map<string, KnownNamespace>();
  #sorted: KnownNamespace[] = [];
  #isLoaded = false;
  /** When the folder of all namespaces had been touched last as it was read; 0 if it must be read again. */
  #touched = 0;
  /** How many namespaces were read since the list was saved. */
  #unsaved = 0;

  constructor(directory: string, report: ReturnType<typeof reportOnce>) {
    this.#directory = directory;
    this.#parent = memoryFolder(directory);
    this.#report = report;
  }

  /** All namespaces that have a folder. */
  async all(): Promise<Namespace[]> {
    return this.#inTurn(async () => this.#sorted.map(({ namespace }) => namespace));
  }

  /** The next namespaces strictly below one, with their counts. */
  async next(below: Namespace, { after, beyond, limit, empty, segment }: NamespacePage): Promise<NamespaceInfo[]> {
    return this.#inTurn(async () => {
      const infos: NamespaceInfo[] = [];
      const pauses = new Pauses();
      const start = keyOf(below);
      // Segments contain no NUL.
      const prefix = below.length === 0 ? '' : `${start}\0`;
      const skipped = beyond && `${keyOf(beyond)}\0`;
      const from = after === undefined ? start : maxOf(keyOf(after), start);
      for (let place = this.#placeAfter(from); place < this.#sorted.length && infos.length < limit; place++) {
        const entry = this.#sorted[place] as KnownNamespace;
        if (!entry.key.startsWith(prefix)) break;
        if (entry.namespace.length === 0) continue;
        if (skipped !== undefined && entry.key.startsWith(skipped)) continue;
        if (segment !== undefined && !entry.namespace.includes(segment)) continue;
        const recordCount = await this.#count(entry);
        if (recordCount > 0 || empty) infos.push({ namespace: entry.namespace, recordCount });
        await pauses.afterStep();
      }
      await this.#saveIfWorthIt();
      return infos;
    });
  }

  /** See `RecordStore.unidentified`. Reads the folders that were not there when the list was read. */
  unidentified(): Promise<number> {
    return countUnidentified(this.#parent, (name) => this.#entries.has(name));
  }

  /** Updates the list, then calls `use`. */
  #inTurn<T>(use: () => Promise<T>): Promise<T> {
    return serially(listPath(this.#parent), async () => {
      await this.#update();
      return use();
    });
  }

  async #update(): Promise<void> {
    const now = Date.now();
    const touched = lstatSync(this.#parent, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (touched !== 0 && touched === this.#touched) return;
    this.#touched = 0;
    if (!this.#isLoaded) await this.#load();
    const names = new Set(listFolder(this.#parent).filter(isFolderName));
    const gone = [...this.#entries.keys()].filter((name) => !names.has(name));
    for (const name of gone) this.#entries.delete(name);
    // A namespace that was removed must not stay in the file.
    if (gone.length > 0 && !this.#isLoaded) this.#unsaved = Infinity;
    this.#isLoaded = true;
    const isComplete = await this.#readNew(names);
    this.#sorted = [...this.#entries.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    if (isComplete && now - touched > RECENT_MS) this.#touched = touched;
    await this.#saveIfWorthIt();
  }

  /** Returns whether all folders tell their namespace. */
  async #readNew(names: Iterable<string>): Promise<boolean> {
    const pauses = new Pauses();
    let isComplete = true;
    for (const name of names) {
      if (this.#entries.has(name)) continue;
      const folder = join(this.#parent, name);
      const namespace = findIdentity(folder, this.#report(folder))?.of;
      if (this.#isOf(name, namespace)) this.#know([name, namespace, 0, 0, null]);
      else isComplete = false;
      this.#unsaved++;
      await pauses.afterStep();
    }
    return isComplete;
  }

  /** A copy of a folder is not a second namespace. */
  #isOf(name: string, namespace: unknown): namespace is Namespace {
    return Array.isArray(namespace) && basename(namespaceFolder(this.#directory, namespace)) === name;
  }

  #know([name, namespace, stamp, count, expires]: SavedNamespace): void {
    this.#entries.set(name, { name, namespace, key: keyOf(namespace), stamp, count, expires: expires ?? Infinity });
  }

  async #count(entry: KnownNamespace): Promise<number> {
    const { name, namespace, stamp } = entry;
    const folder = join(this.#parent, name);
    const touched = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (touched === undefined) return 0;
    if (stamp === touched && Date.now() < entry.expires) return entry.count;
    // Before the log: if the lock is free now, what was written until then is in the log.
    const settled = lastTouch(folder);
    const view = new CountView(this.#report(folder));
    const log = new LogFollower<MemoryLine>(folder, { keepsake: 'memory', version: 1, of: namespace }, view);
    const { count, expires } = await log.read(() => view.count(Date.now()));
    Object.assign(entry, { stamp: settled, count, expires });
    this.#unsaved++;
    return count;
  }

  /** The index of the first namespace after a key. */
  #placeAfter(key: string): number {
    let [from, to] = [0, this.#sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.#sorted[middle] as KnownNamespace).key <= key) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  async #load(): Promise<void> {
    const pauses = new Pauses();
    for (const saved of await readSavedLines<SavedNamespace>(listPath(this.#parent), HEADER)) {
      if (this.#isOf(saved[0], saved[1])) this.#know(saved);
      await pauses.afterStep();
    }
  }

  /** Only a cache, so it never fails. */
  async #saveIfWorthIt(): Promise<void> {
    if (this.#unsaved < Math.max(SAVE_FROM, this.#entries.size * UNSAVED_PART)) return;
    this.#unsaved = 0;
    await this.#save().catch(() => {});
  }

  async #save(): Promise<void> {
    const path = listPath(this.#parent);
    const names = [...this.#entries.keys()];
    await saveLines(path, HEADER, encoded(this.#entries.values()));
    // What another process removed meanwhile, it removed from the list before this one. What it removes from now on, it
    // removes from this one.
    const there = new Set(listFolder(this.#parent));
    for (const name of names) if (!there.has(name)) forgetLine(path, name);
  }
}

/** Removes a namespace from the saved list. */
export function forgetNamespace(folder: string): void {
  forgetLine(listPath(join(folder, '..')), basename(folder));
}

function listPath(parent: string): string {
  return join(indexFolder(parent), 'namespaces');
}

function keyOf(namespace: Namespace): string {
  return namespace.join('\0');
}

function maxOf(a: string, b: string): string {
  return a > b ? a : b;
}

function* encoded(all: Iterable<KnownNamespace>): Iterable<SavedNamespace> {
  for (const { name, namespace, stamp, count, expires } of all) {
    yield [name, namespace, stamp, count, expires === Infinity ? null : expires];
  }
}
