import { lstatSync } from 'node:fs';
import type { Namespace, NamespaceInfo } from '@keepsake/core';
import type { NamespaceList as NamespacePage } from '@keepsake/core/adapter';
import { Pauses } from '@keepsake/internal';
import { NamespaceOrder } from '@keepsake/search';
import { folderIn, indexFolder, memoryFolder, nameOf } from '../disk/file-names.ts';
import { serially } from '../disk/in-turn.ts';
import type { reportOnce } from '../log/corruption.ts';
import { LogFollower } from '../log/log-follower.ts';
import { findIdentity, readHeader } from '../log/log-header.ts';
import { CountView } from '../stores/count-view.ts';
import type { MemoryLine } from '../stores/memory-line.ts';
import { countUnidentified } from './count-unidentified.ts';
import { FolderIndex } from './folder-index.ts';
import { FolderNames } from './folder-names.ts';
import { lastTouch } from './last-touch.ts';
import type { SavedLine, SoughtLines } from './saved-group.ts';

/** A namespace that has a folder. */
interface KnownNamespace {
  /** The name of its folder. */
  readonly name: string;
  readonly namespace: Namespace;
  /** When the folder had been touched last as its records were counted, in milliseconds since 1970; 0 if the count is of no use. */
  stamp: number;
  count: number;
  /** When the next record expires, so that the count holds no longer. */
  expires: number;
}

type SavedNamespace = SavedLine<readonly [stamp: number, count: number, expires: number | null]>;

/** What is left of a namespace that has lost its log. */
const NOTHING = { count: 0, expires: Infinity };

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
  readonly #parent: string;
  readonly #report: ReturnType<typeof reportOnce>;
  readonly #index: FolderIndex;
  readonly #names: FolderNames;
  /** By the name of the folder. */
  readonly #entries = new Map<string, KnownNamespace>();
  /** The names of the folders that are not yet among the entries, or do not tell their namespace. */
  readonly #unread = new Set<string>();
  readonly #order = new NamespaceOrder<KnownNamespace>();
  #isLoaded = false;
  /** How many namespaces were read since the list was saved. */
  #unsaved = 0;

  constructor(directory: string, report: ReturnType<typeof reportOnce>) {
    this.#parent = memoryFolder(directory);
    this.#report = report;
    this.#index = new FolderIndex({ parent: this.#parent, report, isOf });
    this.#names = new FolderNames(this.#parent);
  }

  /** All namespaces strictly below one that have a folder. */
  async allBelow(below: Namespace): Promise<Namespace[]> {
    return this.#inTurn({ text: textBelow(below) }, async (order) =>
      [...order.below(below)].map(({ namespace }) => namespace),
    );
  }

  /** The next namespaces strictly below one, with their counts. */
  async next(below: Namespace, page: NamespacePage): Promise<NamespaceInfo[]> {
    return this.#inTurn(soughtLines(below, page), async (order) => {
      const infos = await order.next(below, page, (known) => this.#count(known));
      await this.#saveIfWorthIt();
      return infos;
    });
  }

  /** See `RecordStore.unidentified`. Reads the folders that do not tell their namespace, and those that came since the list was read. */
  unidentified(): Promise<number> {
    return serially(indexFolder(this.#parent), async () => {
      if (!this.#isLoaded) return countUnidentified(this.#parent, await this.#index.unidentified());
      await this.#follow();
      return countUnidentified(this.#parent, this.#unread);
    });
  }

  /** Calls `use` with the namespaces of these lines, and maybe others. */
  #inTurn<T>(sought: SoughtLines, use: (order: NamespaceOrder<KnownNamespace>) => Promise<T>): Promise<T> {
    return serially(indexFolder(this.#parent), async () => use((await this.#find(sought)) ?? (await this.#all())));
  }

  /** Some namespaces, found by the saved index; `undefined` if all have been read, or it pays off to read them. */
  async #find(sought: SoughtLines): Promise<NamespaceOrder<KnownNamespace> | undefined> {
    const areAll = sought.text === undefined && !sought.without?.length;
    if (this.#isLoaded || areAll) return undefined;
    const lines = await this.#index.find<SavedNamespace>(sought);
    if (lines === undefined) return undefined;
    const order = new NamespaceOrder<KnownNamespace>();
    for (const line of lines) order.set(decoded(line));
    return order;
  }

  async #all(): Promise<NamespaceOrder<KnownNamespace>> {
    await this.#follow();
    await this.#readNew();
    await this.#saveIfWorthIt();
    return this.#order;
  }

  /** Learns which folders came and went. */
  async #follow(): Promise<void> {
    const { added, gone } = this.#names.update();
    for (const name of gone) {
      this.#unread.delete(name);
      this.#forget(name);
    }
    for (const name of added) this.#unread.add(name);
    if (!this.#isLoaded) await this.#load();
  }

  /** Reads the folders that are not yet among the entries. */
  async #readNew(): Promise<void> {
    const pauses = new Pauses();
    const found: KnownNamespace[] = [];
    try {
      for (const name of this.#unread) {
        const folder = folderIn(this.#parent, name);
        const namespace = findIdentity(folder, this.#report(folder)).of;
        if (isOf(name, namespace)) found.push(decoded([name, namespace]));
        await pauses.afterStep();
      }
    } finally {
      this.#unsaved += found.length;
      for (const { name } of found) this.#unread.delete(name);
      this.#know(found);
    }
  }

  #know(found: readonly KnownNamespace[]): void {
    for (const known of found) {
      this.#entries.set(known.name, known);
      this.#order.set(known);
    }
  }

  #forget(name: string): void {
    const known = this.#entries.get(name);
    if (known === undefined) return;
    this.#entries.delete(name);
    this.#order.delete(known.namespace);
  }

  async #count(entry: KnownNamespace): Promise<number> {
    const { name, namespace, stamp } = entry;
    const folder = folderIn(this.#parent, name);
    const touched = lstatSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (touched === undefined) return 0;
    if (stamp === touched && Date.now() < entry.expires) return entry.count;
    // Before the log: if the lock is free now, what was written until then is in the log.
    const settled = lastTouch(folder);
    const view = new CountView(this.#report(folder));
    const log = new LogFollower<MemoryLine>(folder, { keepsake: 'memory', version: 1, of: namespace }, view);
    const { count, expires } = await log
      .read(() => view.count(Date.now()))
      .catch((error: unknown) => {
        // It can still be removed.
        if (readHeader(folder) === undefined) return NOTHING;
        throw error;
      });
    Object.assign(entry, { stamp: settled, count, expires });
    this.#unsaved++;
    return count;
  }

  async #load(): Promise<void> {
    const saved = await this.#index.readAll<SavedNamespace>();
    const found = saved.filter(([name]) => this.#unread.delete(name));
    // A namespace that was removed must not stay in the file.
    if (found.length < saved.length) this.#unsaved = Infinity;
    this.#know(found.map(decoded));
    this.#isLoaded = true;
  }

  /** Only a cache, so it never fails. */
  async #saveIfWorthIt(): Promise<void> {
    if (!this.#isLoaded || this.#unsaved < Math.max(SAVE_FROM, this.#entries.size * UNSAVED_PART)) return;
    this.#unsaved = 0;
    await this.#index.save(encoded(this.#entries.values()), this.#names);
  }
}

/** The lines of all namespaces that a list needs. */
function soughtLines(below: Namespace, { segment, notBelow = [] }: NamespacePage): SoughtLines {
  const text = segment === undefined ? textBelow(below) : JSON.stringify(segment);
  // What is above the list does not count. Of other characters, a text could be found where it is no segment.
  const ends = notBelow.filter((one) => /^\w+$/.test(one) && !below.includes(one));
  return { text, without: ends.map((one) => `"${one}",`) };
}

/** A text in the lines of all namespaces below one; `undefined` for the root. */
function textBelow(below: Namespace): string | undefined {
  return JSON.stringify(below).slice(1, -1) || undefined;
}

/** A copy of a folder is not a second namespace. */
function isOf(name: string, of: unknown): of is Namespace {
  return Array.isArray(of) && nameOf(of) === name;
}

function decoded([name, of, stamp = 0, count = 0, expires = null]: SavedNamespace): KnownNamespace {
  return { name, namespace: of as Namespace, stamp, count, expires: expires ?? Infinity };
}

function* encoded(all: Iterable<KnownNamespace>): Iterable<SavedNamespace> {
  for (const { name, namespace, stamp, count, expires } of all) {
    yield [name, namespace, stamp, count, expires === Infinity ? null : expires];
  }
}
