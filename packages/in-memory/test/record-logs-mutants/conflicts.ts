import { type Mutant, type Mutants, unchecked, writes } from './mutant.ts';

/** Keeps the saved indexes in one method. */
function keepsIndexes(name: 'clear' | 'compact' | 'change'): Mutant {
  return {
    log: (real, inside) => ({
      async [name](...values: unknown[]) {
        const kept = [...inside.indexes];
        const result = await (real[name] as (...values: unknown[]) => Promise<unknown>)(...values);
        for (const [variant, saved] of kept) inside.indexes.set(variant, saved);
        return result;
      },
    }),
  };
}

/** Publishes an index as if it were of the namespace as it is now. */
const ofAnyLog = writes((writer, inside) => ({
  publish: (position) => writer.publish({ ...position, log: inside.log }),
}));

export const conflictsMutants: Mutants = {
  'the saved index is gone after clear, clearTree and compact, and after the namespace was emptied': [
    keepsIndexes('clear'),
    keepsIndexes('compact'),
    keepsIndexes('change'),
  ],
  'an index can not be published after the namespace was cleared, filled again or not': [unchecked],
  'an index can not be published after compact, or if it has deletions that were forgotten': [
    unchecked,
    writes((writer, inside) => ({
      publish: (position) => writer.publish({ ...position, change: inside.lastChange }),
    })),
  ],
  'an index that began before the namespace was emptied and filled again can not be published': [unchecked],
  'an index of a namespace before it was emptied and filled again can not be published, whenever it began': [
    unchecked,
    ofAnyLog,
  ],
};
