import { cpSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMemoryError } from '@keepsake/core';
import { count, show } from '@keepsake/testing/torture/figures';
import { expect, it } from 'vitest';
import { quiet, watchCalls } from '../children/watch-calls.ts';
import { places } from './places.ts';

/*
 * What others do between any two calls of an append: they make the session, and they delete it. Both are a rename of its
 * folder, so here they are done in the moment before a call, as if by another process.
 */

const { place } = places();

let before: (() => void) | undefined;
watchCalls(() => {
  const act = before;
  // What it calls itself does not count.
  before = undefined;
  act?.();
  before = act;
  return undefined;
});
// After the calls are watched.
const { FileSession } = await import('../../src/index.ts');

type Session = InstanceType<typeof FileSession<{ text: string }>>;

/** Another process that uses the same session. */
class Other {
  readonly #folder: string;
  readonly #whole: string;
  #made = 0;

  /** @param whole - A session's folder as it is once it was made. */
  constructor(folder: string, whole: string) {
    this.#folder = folder;
    this.#whole = whole;
  }

  /** Makes the session, where there is none; says whether it did. */
  make(): boolean {
    const making = `${this.#folder} making ${this.#made++}`;
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

  /** Deletes the session, where nobody holds its lock; says whether it did. */
  delete(): boolean {
    const names = readdirSync(dirname(this.#folder)).includes(folderName(this.#folder))
      ? readdirSync(this.#folder)
      : [];
    if (!names.some((name) => /^lock-\d+-free/.test(name))) return false;
    const discarded = `${this.#folder} discarded ${this.#made++}`;
    renameSync(this.#folder, discarded);
    rmSync(discarded, { recursive: true });
    return true;
  }
}

function folderName(folder: string): string {
  return folder.slice(dirname(folder).length + 1);
}

/** The folder of the only session in a directory. */
function folderIn(directory: string): string {
  const [name = ''] = readdirSync(join(directory, 'sessions')).filter((one) => !one.startsWith('.'));
  return join(directory, 'sessions', name);
}

it('others make and delete a session between any two calls of an append', async (context) => {
  const open = (directory: string): Session => new FileSession({ directory, sessionId: 'chat', durability: 'os' });
  const model = place();
  await open(model).addItems([{ text: 'of another' }]);
  const whole = folderIn(model);
  const figures = { orders: 0, made: 0, deleted: 0, unknown: 0 };
  let calls = 0;
  for (let first = 0; first <= calls; first++) {
    for (let second = first; second <= Math.max(calls, first); second++) {
      const directory = place();
      const other = new Other(join(directory, 'sessions', folderName(whole)), whole);
      const session = open(directory);
      let call = 0;
      before = () => {
        if (call === first && other.make()) figures.made++;
        if (call === second && other.delete()) figures.deleted++;
        call++;
      };
      try {
        await session.addItems([{ text: 'own' }]);
      } catch (error) {
        // It may have been written to a session that was deleted then.
        if (!isMemoryError(error, 'OUTCOME_UNKNOWN')) {
          throw new Error(`Made before call ${first}, deleted before call ${second}`, { cause: error });
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
  expect(figures.made).toBeGreaterThan(100);
  expect(figures.deleted).toBeGreaterThan(100);
  show(
    context,
    5,
    `first append of a session that another makes before its m-th call and deletes before its n-th, for every m and n of ${calls}: ${count(figures.orders)} orders, 0 errors, ${figures.unknown} OUTCOME_UNKNOWN, 0 partial`,
  );
});
