import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { wholesOf } from '@keepsake/testing/torture/seed';
import { expect, it } from 'vitest';
import { SqliteSessionStore, SqliteStore } from '../../src/index.ts';
import { timesInBytes } from '../raw-bytes.ts';
import { newFile } from '../temporary-file.ts';

const RECORDS = rounds(25_000, 2_000);
const ITEMS = rounds(10_000, 1_000);
const BATCH = 50;
const SECRET = 'sentinel';

it(`of ${count(RECORDS)} records and ${count(ITEMS)} items, nothing that was erased is left in the bytes of the files`, async (context) => {
  const whole = wholesOf('erasing');
  const file = newFile();
  const store = new SqliteStore({ file, name: 'memory', durability: 'os' });
  const sessions = new SqliteSessionStore({ file, durability: 'os' });
  const namespaces = ['a', 'b', 'c'].map((name) => store.within([name]));
  const some = <T>(all: readonly T[]) => all[whole(all.length)] as T;
  const secrets: { readonly place: (typeof namespaces)[number]; readonly id: string }[] = [];
  const text = (word: string, n: number) =>
    `${word}${n}word tells ${word}${n}${' of days past'.repeat(whole(20) === 0 ? 1_000 : whole(20))}`;
  for (let n = 0; n < RECORDS; n += BATCH) {
    const place = some(namespaces);
    const records = Array.from({ length: BATCH }, (_, k) => {
      const word = whole(3) === 0 ? SECRET : 'heron';
      const id = `${word} ${n + k}`;
      if (word === SECRET) secrets.push({ place, id });
      const metadata = { word: `${word}${n + k}` };
      return { id, content: text(word, n + k), metadata, turn: { thread: id, index: n + k, speaker: id } };
    });
    await place.putMany(records);
  }
  for (let n = 0; n < ITEMS; n += 5) {
    const word = whole(3) === 0 ? SECRET : 'heron';
    const items = Array.from({ length: 5 }, (_, k) => ({ text: text(word, n + k) }));
    await sessions.open(`${word} ${whole(40)}`).addItems(items);
  }
  const before = timesInBytes(file, SECRET);
  expect(before).toBeGreaterThan(RECORDS);

  // In a random order, some of them replaced first.
  for (let left = secrets.length; left > 0; left--) {
    const at = whole(left);
    const { place, id } = secrets[at] as (typeof secrets)[number];
    secrets[at] = secrets[left - 1] as (typeof secrets)[number];
    if (whole(4) === 0) await place.put({ id, content: 'a heron' });
    expect(await place.delete(id)).toBe(true);
  }
  for (const { sessionId } of (await sessions.list({ limit: 1_000 })).items) {
    if (!sessionId.startsWith(SECRET)) continue;
    if (whole(2) === 0) await sessions.open(sessionId).clearSession();
    await sessions.delete(sessionId);
  }
  const start = performance.now();
  await store.compact();
  const ms = performance.now() - start;
  expect(timesInBytes(file, SECRET)).toBe(0);
  const kept = timesInBytes(file, 'heron');
  expect(kept).toBeGreaterThan(RECORDS / 2);
  for (const place of namespaces) await place.clear();
  await store.compact();
  expect(timesInBytes(file, 'tells heron')).toBe(timesInBytes(file, '{"text":"heron'));
  show(
    context,
    31,
    `in SQLite: ${count(RECORDS)} records in 3 namespaces and ${count(ITEMS)} items, a third of them erased in a random order: ${count(before)} hits in the raw bytes before, 0 after; compact() took ${Math.round(ms)} ms`,
  );
});
