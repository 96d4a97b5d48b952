import { encrypted } from '@keepsake/privacy';
import { useDirectory } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { FileSession } from '../src/index.ts';
import { inAnotherProcess } from './programs/in-another-process.ts';

const place = useDirectory();

it('processes that add to one encrypted session and pop from it keep its items in order', async () => {
  const key = crypto.getRandomValues(new Uint8Array(32));
  const names = ['a', 'b', 'c'].slice(0, rounds(3, 2));
  const outputs = await Promise.all(
    names.map((name) => inAnotherProcess('add-encrypted.ts', place.path, Buffer.from(key).toString('hex'), name)),
  );
  const popped = outputs.reduce((sum, output) => sum + Number(output), 0);
  const session = encrypted(
    new FileSession<{ name: string; n: number }>({ directory: place.path, sessionId: 'chat' }),
    {
      current: 'k1',
      keys: { k1: key },
    },
  );
  const items = await session.getItems();
  expect(items).toHaveLength(names.length * 30 - popped);
  for (const name of names) {
    const numbers = items.filter((item) => item.name === name).map(({ n }) => n);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  }
});
