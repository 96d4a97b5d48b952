import { type Mutants, parts } from './mutant.ts';

export const beginningMutants: Mutants = {
  'after the namespace was cleared, followers begin again': [
    parts((_, __, isFirst) => ({ isBeginning: isFirst })),
    { log: (real, inside) => ({ changes: (after) => real.changes(after && { ...after, log: inside.log }) }) },
  ],
  'after the namespace was emptied and filled again, followers begin again': [
    { log: (real, inside) => ({ changes: (after) => real.changes(after && { ...after, log: inside.log }) }) },
  ],
  'after compact, whoever does not know of a deletion begins again, and others go on': [
    { log: (_, inside) => ({ compact: async () => inside.deletions.clear() }) },
    {
      log: (real, inside) => {
        let compacted = 0;
        return {
          async compact() {
            await real.compact();
            compacted = inside.lastChange + 1;
          },
          changes: (after) => real.changes((after?.change ?? 0) < compacted ? undefined : after),
        };
      },
    },
  ],
  'whoever begins needs no deletion that came before, though it is forgotten between two parts': [
    {
      log: (real) => ({
        async changes(after) {
          const part = await real.changes(after && { ...after, began: 0 });
          return { ...part, began: part.isBeginning ? part.began : (after?.began ?? 0) };
        },
      }),
    },
  ],
  'a deletion that is forgotten between two parts is not missed': [
    {
      log: (real) => ({
        async changes(after) {
          const part = await real.changes(after && { ...after, began: Infinity });
          return { ...part, began: after?.began ?? part.began };
        },
      }),
    },
  ],
  '`began` is the last change when the first part was read': [
    parts(({ change, isBeginning }) => (isBeginning ? { began: change } : {})),
    parts(({ isBeginning }) => (isBeginning ? { began: 1e9 } : {})),
  ],
};
