import { type DurableSession, isMemoryError, type JsonObject, type SessionStore } from '@keepsake/core';
import { canonicalJson } from '@keepsake/core/adapter';
import { digest } from '@keepsake/internal/node';
import { redactJson } from '@keepsake/privacy';
import { type BrokenInput, brokenInput } from './broken-input.ts';
import type { FoundEntry } from './found-entry.ts';

/** How many sessions an import added and skipped. */
export interface SessionTally {
  added: number;
  /** Those that were there and got items that they lacked. */
  extended: number;
  alreadyThere: number;
  /** Without items. */
  blank: number;
  /** The items of added and extended sessions that are new. */
  items: number;
  /** The ids of sessions that stay as they are, because they were changed here and in the input. */
  readonly changed: string[];
  /** What could not be read, with its position. */
  readonly broken: string[];
}

const BATCH_ITEMS = 500;

interface Options {
  /** Replaces secrets in all texts of items. */
  readonly redact: boolean;
}

/** Adds conversations as sessions, and to sessions that it added before the items that they lack. */
export class SessionImporter {
  readonly tally: SessionTally = {
    ...{ added: 0, extended: 0, alreadyThere: 0, blank: 0, items: 0, changed: [], broken: [] },
  };
  /** The number of sessions found so far. */
  count = 0;
  readonly #sessions: Pick<SessionStore, 'open'>;
  readonly #redact: boolean;

  constructor(sessions: Pick<SessionStore, 'open'>, { redact }: Options) {
    this.#sessions = sessions;
    this.#redact = redact;
  }

  /** Returns why it can't be added, if so. The caller decides whether that ends the import. */
  async add(entry: FoundEntry): Promise<BrokenInput | undefined> {
    if (entry.skipped === 'broken') return entry.failure;
    if (!('session' in entry)) return undefined;
    this.count++;
    const { id, items: entryItems } = entry.session;
    if (entryItems.length === 0) {
      this.tally.blank++;
      return undefined;
    }
    try {
      const items = this.#redact ? entryItems.map((item) => redactJson(item)) : entryItems;
      await this.#extend(id, items);
      return undefined;
    } catch (error) {
      const isInvalid = isMemoryError(error, 'INVALID_ARGUMENT') || isMemoryError(error, 'TOO_LARGE');
      if (!isInvalid) throw error;
      return brokenInput(`${entry.place}: ${(error as Error).message}`, error);
    }
  }

  /** Sessions are written as they are found. */
  async flush(): Promise<void> {}

  async #extend(id: string, items: readonly JsonObject[]): Promise<void> {
    const session: DurableSession<JsonObject> = this.#sessions.open(id);
    const storedItems = await session.getItems();
    const [knownTexts, texts] = [storedItems.map(textOf), items.map(textOf)];
    const common = commonStart(knownTexts, texts);
    if (common === items.length) this.tally.alreadyThere++;
    else if (common === storedItems.length) await this.#append(session, items, storedItems.length);
    else if (isPartOf(knownTexts.slice(common), texts.slice(common)))
      await this.#insert(session, items, storedItems, common);
    else this.tally.changed.push(id);
  }

  async #append(session: DurableSession<JsonObject>, items: readonly JsonObject[], from: number): Promise<void> {
    for (let start = from; start < items.length; start += BATCH_ITEMS) {
      await session.addItems(items.slice(start, start + BATCH_ITEMS));
    }
    this.#count(from, items.length - from);
  }

  /** Puts items in between that could not be read in an earlier import. */
  async #insert(
    session: DurableSession<JsonObject>,
    items: readonly JsonObject[],
    storedItems: readonly JsonObject[],
    common: number,
  ): Promise<void> {
    const [expectedSuffix, replacement] = [storedItems.slice(common), items.slice(common)];
    await session.applyHistoryTransaction({
      operationId: `import-${digest(JSON.stringify([expectedSuffix, replacement]), 40)}`,
      transaction: { type: 'replace_suffix', expectedSuffix, replacement },
    });
    this.#count(storedItems.length, items.length - storedItems.length);
  }

  #count(storedCount: number, added: number): void {
    if (storedCount === 0) this.tally.added++;
    else this.tally.extended++;
    this.tally.items += added;
  }
}

/** How many items at the start are the same. */
function commonStart(storedTexts: readonly string[], items: readonly string[]): number {
  const index = storedTexts.findIndex((item, at) => item !== items[at]);
  return index === -1 ? storedTexts.length : index;
}

/** Whether all of some items are among others, in the same order. */
function isPartOf(some: readonly string[], others: readonly string[]): boolean {
  let matchCount = 0;
  for (const other of others) if (some[matchCount] === other) matchCount++;
  return matchCount === some.length;
}

/** Without the order of fields, which some backends change. */
function textOf(item: JsonObject): string {
  return canonicalJson(item, 'item');
}
