import type { JsonObject, SessionHistoryMutation } from '@keepsake/core';
import { prepareMutations } from '@keepsake/core/adapter';
import { DAMAGED, ReferenceSession, ReidentifiedSession, type State } from '../reference.ts';
import { appending, cachesReads, type Mutant, type Mutants, prepends } from './mutant.ts';

type MutationArgs = { mutations: SessionHistoryMutation[] };

/** Mutates in a wrong way. */
function mutating(
  mutate: (items: readonly string[], mutations: { callId: string; replacement: string }[]) => readonly string[],
) {
  return class extends ReferenceSession {
    override async applyHistoryMutations(args: MutationArgs): Promise<void> {
      const mutations = prepareMutations(args);
      await this.change(({ items }) => ({ items: mutate(items, mutations) }));
    }
  } satisfies Mutant;
}

/** Mutates as a session must. */
function replaceFunctionCalls(
  items: readonly string[],
  mutations: readonly { callId: string; replacement: string }[],
): readonly string[] {
  return mutations.reduce((all, { callId, replacement }) => {
    const isCall = (text: string) => {
      const item = JSON.parse(text) as JsonObject;
      return item.type === 'function_call' && item.callId === callId;
    };
    const first = all.findIndex(isCall);
    return all.flatMap((text, index) => (index === first ? replacement : isCall(text) ? [] : text));
  }, items);
}

const names = (item: string, callId: string) => item.includes(`"function_call","callId":${JSON.stringify(callId)}`);

/** Replaces every item for which `finds` returns true. */
const replacingWhere = (finds: (item: string, callId: string) => boolean) =>
  mutating((items, mutations) =>
    mutations.reduce<readonly string[]>(
      (all, { callId, replacement }) => all.map((item) => (finds(item, callId) ? replacement : item)),
      items,
    ),
  );

export const mutationMutants: Mutants = {
  'a mutation replaces the call in its place': mutating((items, mutations) => [
    ...items.filter((item) => !mutations.some(({ callId }) => names(item, callId))),
    ...mutations.map(({ replacement }) => replacement),
  ]),
  'of several calls with one id the first is replaced and the others are dropped': [
    replacingWhere(names),
    mutating((items, mutations) => replaceFunctionCalls(items.toReversed(), mutations).toReversed()),
  ],
  'a mutation of an unknown call changes nothing': mutating((items, mutations) => {
    const after = replaceFunctionCalls(items, mutations);
    return after === items || after.join() === items.join()
      ? [...items, ...mutations.map((one) => one.replacement)]
      : after;
  }),
  'a mutation replaces calls only: results and messages that name the call stay': [
    replacingWhere((item, callId) => item.includes(callId)),
    replacingWhere((item, callId) => item.includes(`"callId":${JSON.stringify(callId)}`)),
  ],
  'a call inside another item is not an item': replacingWhere(names),
  'call ids are literal and compared exactly': [
    replacingWhere((item, callId) => names(item.toLowerCase(), callId.toLowerCase())),
    replacingWhere((item, callId) => item.includes(`"callId":"${callId}"`)),
    replacingWhere((item, callId) => callId !== '' && names(item, callId)),
  ],
  'several mutations are applied one after the other': [
    mutating((items, mutations) => replaceFunctionCalls(items, mutations.slice(0, 1))),
    mutating((items, mutations) => replaceFunctionCalls(items, mutations.toReversed())),
  ],
  'a replacement can be any item, and is stored unchanged': mutating((items, [mutation]) =>
    items.map((item) =>
      mutation !== undefined && names(item, mutation.callId)
        ? JSON.stringify({ ...JSON.parse(item), ...JSON.parse(mutation.replacement) })
        : item,
    ),
  ),
  'a call far back in a long history is found': mutating((items, mutations) => [
    ...items.slice(0, -100),
    ...replaceFunctionCalls(items.slice(-100), mutations),
  ]),
  'no mutations change nothing': mutating((items, mutations) =>
    mutations.length === 0 ? [] : replaceFunctionCalls(items, mutations),
  ),
  'one invalid mutation refuses all, and changes nothing': [
    class extends ReferenceSession {
      override async applyHistoryMutations({ mutations }: MutationArgs): Promise<void> {
        for (const one of mutations) await super.applyHistoryMutations({ mutations: [one] });
      }
    },
    class extends ReferenceSession {
      override async applyHistoryMutations({ mutations }: MutationArgs): Promise<void> {
        await super.applyHistoryMutations({ mutations: [mutations].flat().filter((one) => one?.replacement) });
      }
    },
  ],
  'a session works as before after a mutation: appends, limits and pops': [
    // Leaves dropped items in place, where reads skip them but pops do not.
    mutating((items, mutations) => {
      const kept = [...replaceFunctionCalls(items, mutations)];
      return items.map((item, index) => (index === 3 ? DAMAGED : (kept.shift() ?? item)));
    }),
  ],
  'a mutation through one instance is seen by the others': cachesReads,
};

/** Compacts in a wrong way. */
function compacting(
  compact: (items: readonly string[], compacted: readonly string[], state: State) => readonly string[],
): Mutant {
  return class extends ReferenceSession {
    override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      const texts = this.encode(items);
      await this.change((state) => ({ items: compact(state.items, texts, state) }));
    }
  };
}

export const compactionMutants: Mutants = {
  'compaction replaces the whole history': [
    compacting((items, compacted) => [...items, ...compacted]),
    compacting((items, compacted) => [...compacted, ...items.slice(-3)]),
  ],
  'compaction removes all of a long history': compacting((items, compacted) => [...compacted, ...items.slice(1_000)]),
  'compaction to no items leaves an empty session': compacting((items, compacted) =>
    compacted.length === 0 ? items : compacted,
  ),
  'compaction of an empty session adds the items': compacting((items, compacted) =>
    items.length === 0 ? items : compacted,
  ),
  'compaction may make a history longer': compacting((items, compacted) =>
    compacted.slice(0, Math.max(2, items.length)),
  ),
  'a compacted session works as before: appends, limits and pops': [
    prepends,
    appending((items, added) => (items.length < 4 ? [...added, ...items] : [...items, ...added])),
  ],
  'compaction keeps the id, even if clearing does not': class extends ReidentifiedSession {
    override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      await this.clearSession();
      await this.addItems(items);
    }
  },
  'a refused compaction is a rejected promise, never a throw': class extends ReferenceSession {
    override replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      this.encode(items);
      return super.replaceHistoryWithCompaction(items);
    }
  },
  'a compaction is visible in other instances of the session, and in no other session': [
    cachesReads,
    class extends ReferenceSession {
      override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
        const texts = this.encode(items);
        for (const id of this.backend.sessions.keys())
          this.backend.set(id, id, { items: texts, operations: new Map() });
      }
    },
  ],
  'a window of a compacted history has no compacted items': compacting((items, compacted) => [
    ...items.slice(-1),
    ...compacted,
  ]),
  'a refused compaction leaves the history unchanged': class extends ReferenceSession {
    override async replaceHistoryWithCompaction(items: JsonObject[]): Promise<void> {
      await this.change(() => ({ items: [] }));
      await super.replaceHistoryWithCompaction(items);
    }
  },
};
