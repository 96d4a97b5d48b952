import { deepStrictEqual, ok } from 'node:assert/strict';
import { isMemoryError, type MemoryRecord, type RecordStore } from '@keepsake/core';
import { putCount } from '@keepsake/core/adapter';
import type { Opened } from '../backends.ts';
import type { Choices, User } from './user.ts';

const IDS = Array.from({ length: 200 }, (_, n) => `record ${n}`);
const WORDS = 40;
const SHORT_LIVED = 'note ';

/** Changes and searches the records of a namespace that nobody else uses. */
export class RecordUser implements User {
  #store: RecordStore;
  readonly #choices: Choices;
  /** What must be there, in the order of creation. */
  readonly #known = new Map<string, { readonly content: string; readonly version: number }>();
  #notes = 0;

  constructor({ store }: Opened, name: string, choices: Choices) {
    this.#store = store.within(['u', name]);
    this.#choices = choices;
  }

  reopen({ store }: Opened): void {
    this.#store = store.within(this.#store.namespace);
  }

  async act(): Promise<'read' | 'change'> {
    const operation = this.#choices.pick(OPERATIONS);
    await this[operation]();
    return READS.has(operation) ? 'read' : 'change';
  }

  async check(): Promise<void> {
    await this.list();
    for (const id of IDS) await this.#get(id);
  }

  async remove(): Promise<void> {
    await this.#store.clear();
    this.#known.clear();
    await this.check();
  }

  async put(): Promise<void> {
    const id = this.#choices.pick(IDS);
    const content = this.#choices.text(WORDS);
    this.#remember(await this.#store.put({ id, content }), content);
  }

  async putMany(): Promise<void> {
    const inputs = Array.from({ length: 10 }, () => ({
      id: this.#choices.pick(IDS),
      content: this.#choices.text(WORDS),
    }));
    const records = await this.#store.putMany(inputs);
    for (const [n, record] of records.entries()) this.#remember(record, inputs[n]?.content);
  }

  async putIf(): Promise<void> {
    const id = this.#choices.pick(IDS);
    const content = this.#choices.text(WORDS);
    const version = this.#known.get(id)?.version ?? 0;
    const ifVersion = this.#choices.pick([version, version, version + 1]);
    try {
      this.#remember(await this.#store.put({ id, content }, { ifVersion }), content);
      deepStrictEqual(ifVersion, version);
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT') || ifVersion === version) throw error;
    }
  }

  /** Lives for up to three seconds, and is not checked. */
  async putShortLived(): Promise<void> {
    const id = `${SHORT_LIVED}${this.#notes++}`;
    await this.#store.put({ id, content: this.#choices.text(WORDS), ttlMs: 1 + this.#choices.whole(3000) });
  }

  async delete(): Promise<void> {
    const id = this.#choices.pick(IDS);
    deepStrictEqual(await this.#store.delete(id), this.#known.delete(id));
  }

  async get(): Promise<void> {
    await this.#get(this.#choices.pick(IDS));
  }

  async search(): Promise<void> {
    const words = [this.#choices.word(), this.#choices.word()];
    for (const { id = '', content } of await this.#store.search(words.join(' '), { maxSearchResults: 10 })) {
      ok(words.some((word) => content.split(' ').includes(word)));
      if (!id.startsWith(SHORT_LIVED)) deepStrictEqual(content, this.#known.get(id)?.content);
    }
  }

  async list(): Promise<void> {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#store.list({ order: 'oldest', limit: 100, ...(cursor !== undefined && { cursor }) });
      for (const record of page.items) if (!record.id.startsWith(SHORT_LIVED)) found.push(stateOf(record));
      cursor = page.cursor;
    } while (cursor !== undefined);
    deepStrictEqual(
      found,
      [...this.#known].map(([id, known]) => ({ id, ...known })),
    );
  }

  async #get(id: string): Promise<void> {
    const record = await this.#store.get(id);
    const known = this.#known.get(id);
    deepStrictEqual(record && stateOf(record), known && { id, ...known });
  }

  #remember({ id, version }: MemoryRecord, content = ''): void {
    const known = this.#known.get(id);
    if (known === undefined) deepStrictEqual(putCount(version), 1);
    else deepStrictEqual(version, known.version + 1);
    this.#known.set(id, { content, version });
  }
}

type Operation = 'put' | 'putMany' | 'putIf' | 'putShortLived' | 'delete' | 'get' | 'search' | 'list';

const READS: ReadonlySet<Operation> = new Set(['get', 'search', 'list']);

/** In twenty operations, this many of each. */
const OPERATIONS: readonly Operation[] = [
  ...Array<Operation>(4).fill('put'),
  'putMany',
  ...Array<Operation>(2).fill('putIf'),
  'putShortLived',
  ...Array<Operation>(3).fill('delete'),
  ...Array<Operation>(3).fill('get'),
  ...Array<Operation>(5).fill('search'),
  'list',
];

function stateOf({ id, content, version }: MemoryRecord) {
  return { id, content, version };
}
