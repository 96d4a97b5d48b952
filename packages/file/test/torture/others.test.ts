import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isMemoryError } from '@keepsake/core';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { sessionFolder } from '../../src/disk/file-names.ts';
import { quiet, watchCalls } from '../children/watch-calls.ts';
import { places } from './places.ts';

/*
 * Creates and deletes a session between any two file system calls of an append. Both are a rename of its folder, so the
 * test does them right before a call, as another process could.
 */

const { place } = places();

let before: (() => void) | undefined;
watchCalls(() => {
  const act = before;
  // Its own calls do not count.
  before = undefined;
  act?.();
  before = act;
  return undefined;
});
// Imported after the calls are watched.
const { FileSession } = await import('../../src/index.ts');

type Session = InstanceType<typeof FileSession<{ text: string }>>;

/** Another process that uses the same session. */
class Other {
  readonly #folder: string;
  readonly #whole: string;
  #copies = 0;

  /** @param whole - The folder of a complete session, to copy. */
  constructor(folder: string, whole: string) {
    this.#folder = folder;
    this.#whole = whole;
  }

  /** Creates the session unless it exists. Returns whether it did. */
  create(): boolean {
    const making = `${this.#folder} making ${this.#copies++}`;
    cpSync(this.#whole, making, { recursive: true });
    mkdirSync(dirname(this.#folder), { recursive: true });
    try {
      renameSync(making, this.#folder);
      return true;
    } catch {
      rmSync(making, { recursive: true });
      return false;
    }
  }

  /** Deletes the session unless somebody holds its lock. Returns whether it did. */
  delete(): boolean {
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    if (!names.some((name) => /^lock-\d+-free/.test(name))) return false;
    const discarded = `${this.#folder} discarded ${this.#copies++}`;
    renameSync(this.#folder, discarded);
    rmSync(discarded, { recursive: true });
    return true;
  }
}

it('an append survives other processes that create and delete its session between any two of its calls', async (context) => {
  const open = (directory: string): Session => new FileSession({ directory, sessionId: 'chat', durability: 'os' });
  const model = place();
  await open(model).addItems([{ text: 'of another' }]);
  const whole = sessionFolder(model, 'chat');
  const figures = { orders: 0, created: 0, deleted: 0, unknown: 0 };
  let calls = 0;
  for (let first = 0; first <= calls; first++) {
    for (let second = first; second <= Math.max(calls, first); second++) {
      const directory = place();
      const other = new Other(sessionFolder(directory, 'chat'), whole);
      const session = open(directory);
      let call = 0;
      before = () => {
        if (call === first && other.create()) figures.created++;
        if (call === second && other.delete()) figures.deleted++;
        call++;
      };
      try {
        await session.addItems([{ text: 'own' }]);
      } catch (error) {
        // The append may have gone to a session that was deleted afterwards.
        if (!isMemoryError(error, 'OUTCOME_UNKNOWN')) {
          throw new Error(`Created before call ${first}, deleted before call ${second}`, { cause: error });
        }
        figures.unknown++;
      } finally {
        before = undefined;
      }
      await quiet();
      calls = Math.max(calls, call);
      figures.orders++;
      const found = await session.getItems();
      expect(found.map(({ text }) => text)).toBeOneOf([[], ['own'], ['of another'], ['of another', 'own']]);
      await session.addItems([{ text: 'next' }]);
      expect(await open(directory).getItems()).toEqual([...found, { text: 'next' }]);
    }
  }
  expect(figures.created).toBeGreaterThan(100);
  expect(figures.deleted).toBeGreaterThan(100);
  show(
    context,
    5,
    `first append of a session that another process creates before the m-th call and deletes before the n-th, for every m and n up to ${calls}: ${count(figures.orders)} orders, 0 errors, ${figures.unknown} OUTCOME_UNKNOWN, 0 partial`,
  );
});
