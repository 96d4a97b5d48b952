import { isMemoryError } from '@keepsake/core';
import { expect, it } from 'vitest';
import { inTurn } from '../src/database/sqlite-write-queue.ts';
import type { PrismaLike } from '../src/index.ts';

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'a write aborted %i microtasks after its call is either done or not begun',
  async (turns) => {
    const prisma = {} as PrismaLike;
    const controller = new AbortController();
    let begun = 0;
    const write = async () => {
      begun++;
      return 'written';
    };
    const writing = inTurn(prisma, write, controller.signal).catch((error: unknown) => {
      expect(isMemoryError(error, 'ABORTED')).toBe(true);
      return 'aborted';
    });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    controller.abort();
    expect(await writing).toBe(begun === 0 ? 'aborted' : 'written');
  },
);
