import type { FileSession, FileStore } from '../../src/index.ts';
import { batchOf, type Plan, recordId, type TestItem } from './job.ts';

/*
 * Deterministic plans: a child executes the steps, and its parent computes the expected result. Every step is one
 * atomic change.
 */

export type Step = { readonly add: TestItem[] } | 'drop newest' | 'clear' | { readonly operation: TestItem[] };

/** The n-th step, counted from 0. */
export function stepOf(plan: Plan, writer: string, n: number): Step {
  const batch = batchOf({ writer, size: 1 + (n % 5), length: n % 9 === 4 ? 20_000 : 30 * (n % 4) }, n);
  switch (plan) {
    case 'append':
      return n % 3 === 1 ? { operation: batch } : { add: batch };
    case 'compact':
      // A big item that was removed makes more than half of the log dead.
      if (n % 3 === 2) return { add: batchOf({ writer, length: 4 }, n) };
      return n % 3 === 0 ? { add: batchOf({ writer, length: 1_100_000 }, n) } : 'drop newest';
    case 'clear':
      return n % 4 === 3 ? 'clear' : { add: batch };
  }
}

/** The items of a session after a step. */
export function afterStep(items: readonly TestItem[], step: Step): readonly TestItem[] {
  if (step === 'clear') return [];
  if (step === 'drop newest') return items.slice(0, -1);
  return [...items, ...('add' in step ? step.add : step.operation)];
}

export async function doStep(session: FileSession<TestItem>, step: Step): Promise<void> {
  if (step === 'clear') return session.clearSession();
  if (step === 'drop newest') return void (await session.popItem());
  if ('add' in step) return session.addItems(step.add);
  const items = step.operation;
  const operationId = recordId(items[0] as TestItem);
  await session.applyHistoryTransaction({ operationId, transaction: { type: 'append_items', items } });
}

/** Takes a step on a store, with one record per item. */
export async function doRecordStep(store: FileStore, newest: TestItem | undefined, step: Step): Promise<void> {
  if (step === 'clear') return void (await store.clear());
  if (step === 'drop newest') return void (newest && (await store.delete(recordId(newest))));
  const records = ('add' in step ? step.add : step.operation).map((item) => ({
    id: recordId(item),
    // The content of a record is limited to 1 MiB.
    content: `heron ${item.text.slice(0, 300_000)}`,
    index: item.text.length < 1000,
  }));
  await store.putMany(records);
}
