import { expect, it } from 'vitest';
import type { Item } from '../../src/manager/extraction/plan.ts';
import { Run } from '../../src/manager/extraction/run.ts';

const item = (number: number) => ({ number }) as Item;
const numbers = (run: Run) => run.items.map(({ number }) => number);

function runWith(count: number): Run {
  const run = new Run('thread', ['a', 'b']);
  run.add(Array.from({ length: count }, (_, number) => item(number)));
  return run;
}

it('a turn of the outbox is found by each of its numbers', () => {
  const run = runWith(0);
  run.turns.push({ id: 'one', first: 0, last: 2, parts: 1 }, { id: 'two', first: 3, last: 3, parts: 1 });
  expect([0, 1, 2, 3, 4].map((number) => run.turnAt(number)?.id)).toEqual(['one', 'one', 'one', 'two', undefined]);
});

it('the newest number is that of the last message, also after all are done', () => {
  const run = runWith(3);
  run.add([]);
  expect(run.newest).toBe(2);
  for (const store of ['a', 'b']) run.of(store).commit(2);
  run.removeDone();
  expect([numbers(run), run.newest]).toEqual([[], 2]);
});

it('messages go once every store has saved them', () => {
  const run = runWith(4);
  run.of('a').commit(2);
  run.removeDone();
  expect(numbers(run)).toEqual([0, 1, 2, 3]);
  run.of('b').commit(0);
  run.removeDone();
  expect(numbers(run)).toEqual([1, 2, 3]);
  expect(run.done).toBe(0);
});
