import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { choose } from '../src/weights/choose.ts';
import { TUNED, useValues, valuesInUse } from '../src/weights/tuned.ts';

describe('choose', () => {
  const tuned = [
    { name: 'a', values: [0, 1, 2] },
    { name: 'b', values: [5, 3, 1] },
  ];

  it('finds values that are best only together, and keeps the start on a tie', async () => {
    // The best a depends on b, which is chosen later.
    const worthOf = async ({ a = 0, b = 0 }) => -Math.abs(a - (b === 1 ? 2 : 1)) - b;
    expect(await choose(tuned, worthOf)).toEqual({ a: 2, b: 1 });
    expect(await choose(tuned, async () => 1)).toEqual({ a: 0, b: 5 });
  });
});

describe('weights', () => {
  it('in use are among the values to choose from, but not the start', () => {
    const inUse = valuesInUse();
    for (const { name, values } of TUNED) expect(values.slice(1), name).toContain(inUse[name]);
  });

  it('change the scores of searches, and back', async () => {
    const store = new InMemoryStore({ name: 'notes' });
    await store.put({ content: 'The guitar is in the attic, behind the old suitcase and the lamp.' });
    const scoreOf = async () => (await store.search('guitar attic'))[0]?.score;
    const before = await scoreOf();
    const inUse = valuesInUse();
    useValues({ ...inUse, length: 0.08, 'around.talk': 0 });
    const changed = await scoreOf();
    useValues(inUse);
    expect(changed).toBeLessThan(before as number);
    expect(await scoreOf()).toBe(before);
  });
});
