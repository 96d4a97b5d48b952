import { isExpired, type Mutants, parts, turn } from './mutant.ts';

export const followingMutants: Mutants = {
  'a namespace without records has no changes': [
    parts(({ changes }) => (changes.length > 0 ? {} : { isLast: false })),
    parts((part) => ({ isBeginning: part.isBeginning && part.changes.length > 0 })),
  ],
  'changes returns what changed after a position, and from the first change on without one': [
    { log: (real) => ({ changes: (after) => real.changes(after && { ...after, change: after.change + 1 }) }) },
    { log: (real) => ({ changes: (after) => real.changes(after && { ...after, change: after.change - 1 }) }) },
  ],
  'many changes come in parts': [
    parts(() => ({ isLast: true })),
    { log: (real) => ({ changes: (after) => real.changes(after && { ...after, log: undefined }) }) },
  ],
  'a record that changed several times appears once, at its last change': [
    parts(({ changes }) => ({
      changes: changes
        .map((one) => ('created' in one ? { ...one, change: one.created } : one))
        .sort((a, b) => a.change - b.change),
    })),
  ],
  'deletions appear in the order of changes, until the record is put again': [
    parts(({ changes }) => ({ changes: changes.filter((one) => !('deleted' in one)) })),
    parts(({ changes }, inside) => ({
      changes: changes.map((one) =>
        'record' in one && inside.records.get(one.record.id)?.record.version === 1 && one.record.id === 'b'
          ? { deleted: one.record.id, change: one.change }
          : one,
      ),
    })),
  ],
  'what is deleted, replaced or put between two parts is in the later ones': [
    parts(({ changes }, _, isFirst) => ({
      changes: changes.filter((one) => isFirst || !('record' in one) || one.created === one.change),
    })),
    parts(({ changes }) => ({ changes: changes.filter((one) => 'record' in one) })),
  ],
  'records that expire are known as expired, or as deleted once they were removed': [
    parts(({ changes }) => ({ changes: changes.filter((one) => 'deleted' in one || !isExpired(one)) })),
  ],
  'the vector of a record is read only for the embedder that made it': [
    {
      log: (real, inside) => ({
        async change(ids, decide) {
          const before = new Map(inside.records);
          await real.change(ids, decide);
          for (const [id, one] of inside.records) {
            inside.records.set(id, { ...one, vector: one.vector ?? before.get(id)?.vector });
          }
        },
      }),
    },
  ],
  'followers never miss a change of concurrent writers, while they begin and after that': [
    {
      // The position is read after the changes.
      log: (real, inside) => ({
        async changes(after) {
          const part = await real.changes(after);
          await turn();
          return part.isLast ? { ...part, change: Math.max(part.change, inside.lastChange) } : part;
        },
      }),
    },
  ],
};
