import type { DurableSession } from '@keepsake/core';
import { OPERATION_IDS } from '@keepsake/core/adapter';
import { expect, vi } from 'vitest';

/**
 * A backend forgets operation ids, so that their number is bounded: those that are over 30 days old, unless they are among
 * the latest 1,000 or the latest as many as there are items.
 *
 * @param age - Makes the operations of the session older. By default, the clock of the process is put forward.
 */
export async function expectToForgetOperations(
  session: DurableSession,
  age?: (ms: number) => Promise<void>,
): Promise<void> {
  if (age !== undefined) return forgetOperations(session, age, 50);
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    // What is held in memory is forgotten once it is twice as much as needed.
    await forgetOperations(session, (ms) => vi.setSystemTime(Date.now() + ms), 1_000);
  } finally {
    vi.useRealTimers();
  }
}

async function forgetOperations(session: DurableSession, age: (ms: number) => unknown, further: number): Promise<void> {
  const operate = (n: number, text?: string) =>
    session.applyHistoryTransaction({
      operationId: `operation-${n}`,
      transaction: { type: 'append_items', items: text === undefined ? [] : [{ n, text }] },
    });
  const operateFrom = async (from: number, to: number, text?: string) => {
    for (let n = from; n < to; n++) await operate(n, text);
  };
  // Some backends note only the hour.
  const moreThan30Days = OPERATION_IDS.keepMs + 2 * 60 * 60 * 1_000;

  await operateFrom(0, 1_100, 'old');
  await age(moreThan30Days);
  await operateFrom(1_100, 1_110, 'new');
  // As many as there are items.
  await operate(0, 'old');
  expect(await session.getItems()).toHaveLength(1_110);

  await session.replaceHistoryWithCompaction([]);
  await operateFrom(1_110, 1_110 + further);
  // Not among the latest 1,000.
  await operate(0, 'old');
  expect(await session.getItems()).toHaveLength(1);
  // Of the last 30 days.
  await operate(1_100, 'new');
  await expect(operate(1_110, 'other')).rejects.toMatchObject({ code: 'CONFLICT' });

  await age(moreThan30Days);
  await operate(1_110 + further);
  // Among the latest 1,000.
  for (const n of [120 + further, 1_109 + further])
    await expect(operate(n, 'other')).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await session.getItems()).toHaveLength(1);
}
