import { join } from 'node:path';
import { OtherProcess } from '@keepsake/testing';
import { expect, it } from 'vitest';

const LINES = 100_000;

it('a program with a thread loses no line that it prints while nobody reads', async () => {
  const other = new OtherProcess(join(import.meta.dirname, 'children/print-much.ts'), String(LINES));
  await other.ready;
  other.go();
  await other.printed(1);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  await other.end;
  expect(other.lines).toEqual(Array.from({ length: LINES }, (_, n) => `line ${n}`));
});

it('waiting for lines of a program that has ended fails', async () => {
  const other = new OtherProcess(join(import.meta.dirname, 'children/print-much.ts'), '3');
  await other.ready;
  other.go();
  await other.printed(3);
  await expect(other.printed(4)).rejects.toThrow('A program ended after 3 lines, not 4.');
});
