import type { LoggedRecord, LogPart, RecordLog } from '@keepsake/search';
import { expect } from 'vitest';

/** More often, nobody begins: a log that says so has no end. */
const MOST_BEGINS = 20;

/** Follows a log, as a table does. */
export class Follower {
  readonly #log: RecordLog;
  /** What it knows, expired records included. */
  readonly records = new Map<string, LoggedRecord>();
  position: LogPart | undefined;
  /** How many times it was told to begin. */
  begins = 0;

  constructor(log: RecordLog) {
    this.#log = log;
  }

  /** Reads one part, and checks that it goes on after the last one. */
  async step(): Promise<LogPart> {
    const part = await this.#log.changes(this.position);
    if (part.isBeginning) {
      expect(++this.begins, 'begins').toBeLessThan(MOST_BEGINS);
      this.records.clear();
    }
    let last = part.isBeginning ? 0 : (this.position?.change ?? 0);
    if (!part.isBeginning) expect(part.began, 'began').toBe(this.position?.began);
    for (const change of part.changes) {
      expect(change.change, 'changes are in their order, after the position').toBeGreaterThan(last);
      last = change.change;
      if ('deleted' in change) this.records.delete(change.deleted);
      else this.records.set(change.record.id, change);
    }
    expect(part.isLast || part.changes.length > 0, 'a part without changes is the last one').toBe(true);
    expect(part.change, 'the last change that is covered').toBeGreaterThanOrEqual(last);
    this.position = part;
    return part;
  }

  /** Reads all parts. Returns the changes: ids of records, and ids of deleted ones after a minus sign. */
  async follow(): Promise<string[]> {
    const changes: string[] = [];
    for (;;) {
      const part = await this.step();
      changes.push(...part.changes.map((one) => ('deleted' in one ? `-${one.deleted}` : one.record.id)));
      if (part.isLast) return changes;
    }
  }

  /** Follows to the end, and checks that it knows what is there. */
  async expectUpToDate(): Promise<void> {
    await this.follow();
    const live = [...this.records.values()]
      .filter(({ record: { expiresAt } }) => expiresAt === undefined || Date.parse(expiresAt) > Date.now())
      .sort((a, b) => a.created - b.created);
    expect(live.map(withoutVector)).toEqual(await listAll(this.#log));
  }
}

/** A follower that has read everything. */
export async function upToDate(log: RecordLog): Promise<Follower> {
  const follower = new Follower(log);
  await follower.expectUpToDate();
  return follower;
}

/** All records in an order, page by page. */
export async function listAll(
  log: RecordLog,
  order: 'newest' | 'oldest' = 'oldest',
  limit = 1_000,
): Promise<LoggedRecord[]> {
  const all: LoggedRecord[] = [];
  for (;;) {
    const after = all.at(-1)?.created;
    const page = await log.list({ order, after, limit });
    expect(page.length, 'a page of a list').toBeLessThanOrEqual(limit);
    for (const [n, { created }] of page.entries()) {
      const before = n === 0 ? after : page[n - 1]?.created;
      const isInOrder = before === undefined || (order === 'oldest' ? created > before : created < before);
      expect(isInOrder, 'a page is in the order of creation, after the one before').toBe(true);
    }
    all.push(...page.map(withoutVector));
    if (page.length < limit) return all;
  }
}

export async function listIds(log: RecordLog, order?: 'newest' | 'oldest', limit?: number): Promise<string[]> {
  return (await listAll(log, order, limit)).map(({ record }) => record.id);
}

function withoutVector({ record, change, created }: LoggedRecord): LoggedRecord {
  return { record, change, created };
}
