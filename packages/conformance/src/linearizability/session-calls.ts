import type { DurableSession, JsonObject } from '@keepsake/core';
import { brief, briefs, say } from '../session/items.ts';
import type { SequentialModel } from './linearizable.ts';
import { type Client, outcomeOf } from './record-history.ts';

/** A call of a session. Items are named by their text. */
export type SessionCall =
  | { readonly kind: 'add'; readonly items: readonly string[] }
  | { readonly kind: 'read'; readonly limit?: number }
  | { readonly kind: 'pop' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'append once'; readonly operationId: string; readonly items: readonly string[] }
  | {
      readonly kind: 'replace';
      readonly operationId: string;
      readonly expected: readonly string[];
      readonly items: readonly string[];
    };

interface SessionState {
  readonly items: readonly string[];
  /** The content of the applied operations by their ids. */
  readonly operations: Readonly<Record<string, string>>;
}

/** A list, and the operations that were applied to it. */
export const sessionModel: SequentialModel<SessionState, SessionCall> = {
  initial: { items: [], operations: {} },
  key: (state) => JSON.stringify(state),
  apply(state, call) {
    const { items } = state;
    switch (call.kind) {
      case 'add':
        return { state: { ...state, items: [...items, ...call.items] }, outcome: 'done' };
      case 'read':
        return { state, outcome: (call.limit === undefined ? items : items.slice(-call.limit)).join() };
      case 'pop':
        return { state: { ...state, items: items.slice(0, -1) }, outcome: items.at(-1) ?? 'nothing' };
      case 'clear':
        return { state: sessionModel.initial, outcome: 'done' };
      case 'append once':
        return operate(state, call, []);
      case 'replace':
        return operate(state, call, call.expected);
    }
  },
};

function operate(
  state: SessionState,
  { operationId, items }: Extract<SessionCall, { operationId: string }>,
  expected: readonly string[],
): { readonly state: SessionState; readonly outcome: string } {
  const content = JSON.stringify([expected, items]);
  const knownContent = state.operations[operationId];
  if (knownContent !== undefined) return { state, outcome: knownContent === content ? 'done' : 'CONFLICT' };
  const start = state.items.length - expected.length;
  if (start < 0 || state.items.slice(start).join() !== expected.join()) return { state, outcome: 'CONFLICT' };
  const operations = { ...state.operations, [operationId]: content };
  // Sorted, so that the order in which they were applied does not make states different.
  const sorted = Object.fromEntries(Object.entries(operations).sort(([a], [b]) => (a < b ? -1 : 1)));
  return { state: { items: [...state.items.slice(0, start), ...items], operations: sorted }, outcome: 'done' };
}

/** Performs calls on an instance of a session. */
export function sessionClient(session: DurableSession): Client<SessionCall> {
  return { perform: (call) => outcomeOf(() => perform(session, call)) };
}

async function perform(session: DurableSession, call: SessionCall): Promise<string> {
  switch (call.kind) {
    case 'add':
      await session.addItems(call.items.map(say));
      return 'done';
    case 'read':
      return briefs(await session.getItems(call.limit)).join();
    case 'pop': {
      const item: JsonObject | undefined = await session.popItem();
      return item === undefined ? 'nothing' : brief(item);
    }
    case 'clear':
      await session.clearSession();
      return 'done';
    case 'append once': {
      const transaction = { type: 'append_items' as const, items: call.items.map(say) };
      await session.applyHistoryTransaction({ operationId: call.operationId, transaction });
      return 'done';
    }
    case 'replace': {
      const { expected, items } = call;
      const transaction = {
        type: 'replace_suffix' as const,
        expectedSuffix: expected.map(say),
        replacement: items.map(say),
      };
      await session.applyHistoryTransaction({ operationId: call.operationId, transaction });
      return 'done';
    }
  }
}
