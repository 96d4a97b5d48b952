import type { JsonObject, SessionHistoryMutation, SessionHistoryTransaction } from '@keepsake/core';
import fc from 'fast-check';
import { durable, type SessionCapabilities } from './harness.ts';
import { brief, briefs, call, say } from './items.ts';
import { replaceCall } from './mutations.ts';

/** Commands on a session, as printable data. */
export type Command =
  | { readonly kind: 'read'; readonly limit: number | undefined }
  | { readonly kind: 'pop' | 'clear' }
  | { readonly kind: 'add' | 'compact'; readonly items: readonly JsonObject[] }
  | { readonly kind: 'mutate'; readonly mutations: readonly SessionHistoryMutation[] }
  | { readonly kind: 'operation'; readonly operationId: string; readonly transaction: SessionHistoryTransaction };

// Few different items and ids, so that commands meet the results of earlier ones.
const item = fc.constantFrom(say('a'), say('b'), say('c'), call('c-1'), call('c-2', 'old'), call('c-2', 'older'));
const items = fc.array(item, { maxLength: 4 });
const callId = fc.constantFrom('c-1', 'c-2', 'c-3');

const mutation = fc.tuple(callId, callId).map(([id, newId]) => replaceCall(id, call(newId, 'new')));

const transaction: fc.Arbitrary<SessionHistoryTransaction> = fc.oneof(
  fc.record({ type: fc.constant('append_items' as const), items }),
  fc.record({
    type: fc.constant('replace_suffix' as const),
    expectedSuffix: fc.array(item, { maxLength: 2 }),
    replacement: fc.array(item, { maxLength: 3 }),
  }),
);

const limit = fc.constantFrom(undefined, Number.NaN, -1, 0, 1, 1.5, 2, 3, 5, 100);

type Weighted = fc.WeightedArbitrary<Command>;

const plain: Weighted[] = [
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), items }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('read' as const), limit }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'pop' as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'clear' as const }) },
];

/** Commands that only a `DurableSession` knows. */
const rewriting: Weighted[] = [
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('operation' as const),
      operationId: fc.constantFrom('o-1', 'o-2', 'o-3'),
      transaction,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('mutate' as const), mutations: fc.array(mutation, { maxLength: 2 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), items }) },
];

/** Histories of up to a maximum number of commands that the session supports. */
export function commands(maxLength: number, capabilities: SessionCapabilities): fc.Arbitrary<Command[]> {
  const command = fc.oneof(...plain, ...(durable(capabilities) ? rewriting : []));
  return fc.array(command, { maxLength, size: 'max' });
}

export function commandText(command: Command): string {
  return JSON.stringify(command);
}

/** The contract in its simplest form: an array and a map of applied operations. */
export class ModelSession {
  items: readonly JsonObject[] = [];
  #operations = new Map<string, string>();

  /** The expected result of a command: items, `done`, or an error code. */
  apply(command: Command): string {
    switch (command.kind) {
      case 'read':
        return briefs(this.#newest(command.limit)).join();
      case 'pop': {
        const newest = this.items.at(-1);
        this.items = this.items.slice(0, -1);
        return newest === undefined ? 'nothing' : brief(newest);
      }
      case 'add':
        this.items = [...this.items, ...command.items];
        return 'done';
      case 'clear':
        this.items = [];
        this.#operations.clear();
        return 'done';
      case 'compact':
        this.items = command.items;
        return 'done';
      case 'mutate':
        for (const { callId, replacement } of command.mutations) this.#replaceCall(callId, replacement);
        return 'done';
      case 'operation':
        return this.#operate(command.operationId, command.transaction);
    }
  }

  #newest(limit: number | undefined): readonly JsonObject[] {
    if (limit === undefined || Number.isNaN(limit)) return this.items;
    return limit <= 0 ? [] : this.items.slice(-Math.ceil(limit));
  }

  #replaceCall(callId: string, replacement: JsonObject): void {
    const first = this.items.findIndex((item) => item.type === 'function_call' && item.callId === callId);
    this.items = this.items.flatMap((item, index) => {
      if (index === first) return [replacement];
      return item.type === 'function_call' && item.callId === callId ? [] : [item];
    });
  }

  #operate(operationId: string, transaction: SessionHistoryTransaction): string {
    const text = JSON.stringify(transaction);
    const knownText = this.#operations.get(operationId);
    if (knownText !== undefined) return knownText === text ? 'done' : 'CONFLICT';
    const [suffix, added] =
      transaction.type === 'append_items'
        ? [[], transaction.items]
        : [transaction.expectedSuffix, transaction.replacement];
    const start = this.items.length - suffix.length;
    if (start < 0 || briefs(this.items.slice(start)).join() !== briefs(suffix).join()) return 'CONFLICT';
    this.items = [...this.items.slice(0, start), ...added];
    this.#operations.set(operationId, text);
    return 'done';
  }
}
