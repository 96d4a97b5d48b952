import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Place } from '@keepsake/suites/stores/backends';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import type { Storage } from '@strands-agents/sdk';
import { InMemoryStorage, LocalFileStorage } from '@strands-agents/sdk/storage';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeStorage } from '../src/index.ts';
import { backends, independent } from './support/backends.ts';

const directory = useDirectory();
const PART = 768 * 1024;
const LARGEST = rounds(20_000_000, 2_000_000);
const HISTORIES = rounds(40, 10);
const ROUNDS = rounds(15, 4);
const HISTORIES_IN_FILES = rounds(10, 3);

/** Small and large values, and the edges between one part, two and none. */
const sizes = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, PART - 1, PART, PART + 1, 2 * PART + 7) },
);
const KEYS = ['a', 'b', 'A', 'a b', 'dir/a', 'dir/b', 'dir2/x', '/dir//a/', 'é', 'e\u0301', '😀/x', 'a*', 'q?[x]'];
const ODD_KEYS = ['', '/', '..', 'dir/../a', 'dir\\a', 'dir', './a', ' ', 'key:a', 'part:a', 'a%2fb', '__proto__'];
const PREFIXES = ['', 'a', 'dir', 'dir/', '/dir', 'dir//', 'nothing', 'é', '..', 'a\\', 'a*', '😀'];

function histories(keys: readonly string[]) {
  const key = fc.constantFrom(...keys);
  const command = fc.oneof(
    fc.tuple(fc.constant('write'), key, sizes, fc.nat(255)),
    fc.tuple(fc.constant('read'), key),
    fc.tuple(fc.constant('delete'), key),
    fc.tuple(fc.constant('list'), fc.constantFrom(...PREFIXES)),
  );
  return fc.array(command, { minLength: 10, maxLength: 25 });
}

type Command = readonly [what: string, key: string, size?: number, seed?: number];

/** The result of a command; a refusal, whatever its words. */
async function outcome(storage: Storage, [what, key, size = 0, seed = 0]: Command): Promise<unknown> {
  try {
    if (what === 'write') return await storage.write(key, bytesOf(size, seed));
    if (what === 'read') return digestible(await storage.read(key));
    if (what === 'delete') return await storage.delete(key);
    return await storage.list(key);
  } catch (error) {
    return `${(error as Error).name}`;
  }
}

const PATTERN = Uint8Array.from({ length: 251 }, (_, index) => index);

function bytesOf(size: number, seed: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(size + seed, PATTERN).subarray(seed));
}

function digestible(bytes: Uint8Array | null): unknown {
  return bytes && [bytes.constructor.name, Buffer.from(bytes).toString('base64')];
}

for (const backend of backends) {
  describe(`KeepsakeStorage on ${backend.name}`, () => {
    let running: Awaited<ReturnType<typeof backend.start>>;
    beforeAll(async () => {
      running = await backend.start();
    });
    afterAll(() => running.stop());

    const storageOf = (place: Place) => new KeepsakeStorage({ store: place.open() });
    const recordsOf = async (place: Place) => (await place.open().within(['storage']).list({ limit: 1_000 })).items;

    it(`does what InMemoryStorage does in ${HISTORIES} generated histories`, independent(backend), async () => {
      await fc.assert(
        fc.asyncProperty(histories([...KEYS, ...ODD_KEYS]), async (commands) => {
          const place = running.makePlace();
          const [ours, theirs] = [storageOf(place), new InMemoryStorage()];
          for (const command of commands) {
            expect(await outcome(ours, command), command.join(' ')).toEqual(await outcome(theirs, command));
          }
          // Another instance sees the same, and nothing is left of values that were replaced.
          const keys = await theirs.list('');
          expect(await storageOf(place).list('')).toEqual(keys);
          const values = await Promise.all(keys.map((key) => theirs.read(key)));
          const parts = values.reduce((sum, value) => sum + Math.ceil((value?.length ?? 0) / PART), 0);
          expect(await recordsOf(place)).toHaveLength(keys.length + parts);
          const listed = await place.open().within(['storage', 'keys']).list({ limit: 1_000 });
          expect(listed.items).toHaveLength(keys.length);
        }),
        { numRuns: HISTORIES },
      );
    });

    it(
      `does what LocalFileStorage does in ${HISTORIES_IN_FILES} generated histories`,
      independent(backend),
      async () => {
        let round = 0;
        await fc.assert(
          // Not `dir` and `dir/a`: in LocalFileStorage, a key can't be the folder of another. Nor `./a`, which is `a` there.
          fc.asyncProperty(histories([...KEYS, '', '..', 'dir\\a', ' ', '__proto__']), async (commands) => {
            const [ours, theirs] = [
              storageOf(running.makePlace()),
              new LocalFileStorage(`${directory.path}/${backend.name}-${++round}`),
            ];
            for (const command of commands) {
              expect(await outcome(ours, command), command.join(' ')).toEqual(await outcome(theirs, command));
            }
          }),
          { numRuns: HISTORIES_IN_FILES },
        );
      },
    );

    it(`writes ${LARGEST / 1e6} MB and reads them back`, async () => {
      const place = running.makePlace();
      const data = new Uint8Array(randomBytes(LARGEST));
      await storageOf(place).write('transcript', data);
      const read = await storageOf(place).read('transcript');
      expect(Buffer.compare(read ?? Buffer.alloc(0), data)).toBe(0);
      await storageOf(place).delete('transcript');
      expect(await recordsOf(place)).toEqual([]);
    });

    it(
      'a reader sees a whole value at any moment, and concurrent writers leave only the parts of the last',
      independent(backend),
      async () => {
        const place = running.makePlace();
        const lengths = [PART + 1, 10, PART, 0];
        const writers = await Promise.all(
          [0, 1, 2].map(async (writer) => {
            const storage = storageOf(place);
            for (let n = 0; n < 4; n++) {
              const length = lengths[(n + writer) % lengths.length] ?? 0;
              await storage.write('key', new Uint8Array(length).fill(length % 251));
              if (n === 3) await storage.delete('key');
            }
            return storage;
          }),
        );
        const [writing, reading] = [writers[0], storageOf(place)];
        await writing?.write('key', new Uint8Array(1).fill(1));
        let done = false;
        const replacing = (async () => {
          for (const length of [...lengths, PART + 1]) {
            await writing?.write('key', new Uint8Array(length).fill(length % 251));
          }
          done = true;
        })();
        while (!done) {
          const value = await reading.read('key');
          expect([1, ...lengths]).toContain(value?.length);
          const whole = Buffer.alloc(value?.length ?? 0, (value?.length ?? 0) % 251);
          expect(Buffer.compare(whole, value ?? whole)).toBe(0);
          // Lets the writer go on, which a store in memory would not.
          await setTimeout(2);
        }
        await replacing;
        expect(await recordsOf(place)).toHaveLength(3);
      },
    );

    it(
      'writes and deletions of one key at once leave what read, list and the records agree on',
      independent(backend),
      async () => {
        const place = running.makePlace();
        const storages = Array.from({ length: 4 }, () => storageOf(place));
        for (let round = 0; round < ROUNDS; round++) {
          await Promise.all(
            storages.map((storage, n) =>
              (n + round) % 3 === 0
                ? storage.delete('key')
                : storage.write('key', new Uint8Array(n === 3 ? PART + 1 : n)),
            ),
          );
          const value = await storageOf(place).read('key');
          expect(await storageOf(place).list('k')).toEqual(value === null ? [] : ['key']);
        }
        // Nothing is left behind once nobody interferes.
        for (let time = 0; time < 2; time++) await storageOf(place).write('key', new Uint8Array(1));
        expect(await recordsOf(place)).toHaveLength(2);
      },
    );
  });
}
