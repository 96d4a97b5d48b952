import { MemoryError, type Namespace } from '@keepsake/core';
import { CursorSeal, isWithin, nextNamespaces } from '@keepsake/core/adapter';
import type {
  DecideChanges,
  IndexWriter,
  LogChange,
  LoggedRecord,
  LogPart,
  LogPosition,
  LogRange,
  RecordLog,
  RecordLogs,
  SavedIndex,
} from '@keepsake/search';

/** How many changes a part has. */
const PART = 100;

/** A saved index with its pages. */
export interface MemoryIndex extends Pick<SavedIndex, 'id' | 'log' | 'change'> {
  readonly written: readonly Uint8Array[];
}

/** A log in memory that counts its calls. `before` is called before each of them, and may throw or wait. */
export class MemoryLog implements RecordLog {
  readonly calls: string[] = [];
  before: (call: string) => unknown = () => {};
  readonly records = new Map<string, LoggedRecord>();
  readonly deletions = new Map<string, number>();
  readonly indexes = new Map<string, MemoryIndex>();
  /** Who saves an index of each variant. */
  readonly writers = new Map<string, object>();
  #log = 1;
  #change = 0;
  #forgotten = 0;
  #indexes = 0;
  /** How many pages of a saved index are read with it. */
  lastPages = 32;
  /** How many other pages were read. */
  pageCount = 0;
  /** How many records the last calls read. */
  readCount = 0;
  changeCount = 0;

  get log(): number {
    return this.#log;
  }

  get lastChange(): number {
    return this.#change;
  }

  async #call(name: string): Promise<void> {
    this.calls.push(name);
    await this.before(name);
  }

  async read(ids: readonly string[]): Promise<LoggedRecord[]> {
    await this.#call('read');
    this.readCount += ids.length;
    return ids.flatMap((id) => this.#live(id) ?? []);
  }

  async change(ids: readonly string[], decide: DecideChanges): Promise<void> {
    await this.#call('change');
    const known = ids.flatMap((id) => this.#live(id) ?? []);
    const changes = decide(new Map(known.map(({ record }) => [record.id, record])))(new Date());
    for (const change of changes) this.apply(change);
    this.#emptyWithoutRecords();
  }

  /** What is left of a namespace without records does not count for the records that it has later, and numbers begin again. */
  #emptyWithoutRecords(): void {
    if (this.records.size > 0) return;
    for (const all of [this.deletions, this.indexes, this.writers]) all.clear();
    this.#log++;
    this.#change = 0;
    this.#forgotten = 0;
  }

  apply(change: LogChange): void {
    const number = ++this.#change;
    if ('delete' in change) {
      this.records.delete(change.delete);
      this.deletions.set(change.delete, number);
      return;
    }
    const { put, vector } = change;
    const created = this.#live(put.id)?.created ?? number;
    this.deletions.delete(put.id);
    this.records.set(put.id, { record: put, change: number, created, vector });
  }

  /** Forgets which records were deleted. */
  forget(): void {
    this.deletions.clear();
    this.#forgotten = this.#change;
  }

  async changes(after: LogPosition | undefined): Promise<LogPart> {
    await this.#call('changes');
    const isBeginning =
      after === undefined || after.log !== this.#log || Math.max(after.change, after.began) < this.#forgotten;
    const began = isBeginning ? this.#change : after.began;
    const from = isBeginning ? 0 : after.change;
    const all = [
      ...this.records.values(),
      ...[...this.deletions].map(([deleted, change]) => ({ deleted, change })),
    ].filter(({ change }) => change > from);
    const changes = all.sort((a, b) => a.change - b.change).slice(0, PART);
    this.changeCount += changes.length;
    const isLast = changes.length === all.length;
    return { log: this.#log, isBeginning, began, changes, change: changes.at(-1)?.change ?? from, isLast };
  }

  async list({ order, after, limit }: LogRange): Promise<LoggedRecord[]> {
    await this.#call('list');
    const sign = order === 'oldest' ? 1 : -1;
    return [...this.records.keys()]
      .flatMap((id) => this.#live(id) ?? [])
      .filter(({ created }) => after === undefined || sign * (created - after) > 0)
      .sort((a, b) => sign * (a.created - b.created))
      .slice(0, limit);
  }

  async clear(): Promise<number> {
    await this.#call('clear');
    const count = [...this.records.keys()].filter((id) => this.#live(id)).length;
    this.records.clear();
    this.#emptyWithoutRecords();
    return count;
  }

  async compact(): Promise<void> {
    for (const id of [...this.records.keys()]) if (!this.#live(id)) this.apply({ delete: id });
    this.forget();
    for (const all of [this.indexes, this.writers]) all.clear();
    this.#emptyWithoutRecords();
  }

  async readIndex(variant: string): Promise<SavedIndex | undefined> {
    await this.#call('readIndex');
    const index = this.indexes.get(variant);
    if (index === undefined) return undefined;
    const { written, ...saved } = index;
    const isCurrent = () => this.indexes.get(variant)?.id === saved.id;
    return {
      ...saved,
      count: written.length,
      pages: new Map([...written.entries()].slice(-this.lastPages).filter(([, page]) => page !== undefined)),
      read: async (pages) => {
        await this.#call('readPages');
        this.pageCount += pages.length;
        const found = isCurrent() ? pages : [];
        return new Map(found.flatMap((page) => (written[page] ? [[page, written[page]]] : [])));
      },
    };
  }

  async writeIndex(variant: string, known: number): Promise<IndexWriter | undefined> {
    await this.#call('writeIndex');
    if (this.writers.has(variant) || (this.indexes.get(variant)?.change ?? 0) > known) return undefined;
    const written: Uint8Array[] = [];
    this.writers.set(variant, written);
    const isOwn = () => this.writers.get(variant) === written;
    const expectOwn = (is = isOwn()) => {
      if (!is) throw new MemoryError('CONFLICT', 'The index was removed.');
    };
    return {
      write: async (pages) => {
        await this.#call('write');
        expectOwn();
        written.push(...pages.map((page) => page.slice()));
      },
      publish: async (position) => {
        await this.#call('publish');
        expectOwn(isOwn() && position.log === this.#log && position.change >= this.#forgotten);
        this.writers.delete(variant);
        this.indexes.set(variant, { ...position, id: ++this.#indexes, written });
      },
      discard: async () => {
        await this.#call('discard');
        if (isOwn()) this.writers.delete(variant);
      },
    };
  }

  #live(id: string): LoggedRecord | undefined {
    const found = this.records.get(id);
    return found === undefined || Date.parse(found.record.expiresAt ?? '9999-01-01') <= Date.now() ? undefined : found;
  }
}

/** Logs in memory, one per namespace. */
export class MemoryLogs implements RecordLogs {
  readonly durable = false;
  readonly shared = false;
  readonly #logs = new Map<string, { readonly namespace: Namespace; readonly log: MemoryLog }>();
  readonly #seal = new CursorSeal('secret');
  readonly #newLog: () => MemoryLog;

  constructor(newLog = () => new MemoryLog()) {
    this.#newLog = newLog;
  }

  open(namespace: Namespace): MemoryLog {
    const key = JSON.stringify(namespace);
    const known = this.#logs.get(key) ?? { namespace, log: this.#newLog() };
    this.#logs.set(key, known);
    return known.log;
  }

  async cursorSeal(): Promise<CursorSeal> {
    return this.#seal;
  }

  async namespacesBelow(namespace: Namespace): Promise<Namespace[]> {
    return [...this.#logs.values()]
      .filter((one) => one.namespace.length > namespace.length && isWithin(one.namespace, namespace))
      .map((one) => one.namespace);
  }

  /** Ends the leases of those who save an index. */
  endLeases(): void {
    for (const { log } of this.#logs.values()) log.writers.clear();
  }

  async nextNamespaces(below: Namespace, list: Parameters<RecordLogs['nextNamespaces']>[1]) {
    const countOf = async (namespace: Namespace) => this.open(namespace).records.size;
    return nextNamespaces(await this.namespacesBelow(below), list, countOf);
  }

  async clearTree(namespace: Namespace): Promise<number> {
    let count = 0;
    for (const one of [namespace, ...(await this.namespacesBelow(namespace))]) count += await this.open(one).clear();
    return count;
  }
}
