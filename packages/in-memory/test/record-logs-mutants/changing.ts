import { MemoryError, type MemoryRecord } from '@keepsake/core';
import { byId, idOf, type Mutant, type Mutants, makes, parts, recordsOf, turn } from './mutant.ts';

/** Decides, and changes one record after the other, whatever others do meanwhile. */
const racy: Mutant = {
  log: (real, inside) => ({
    async change(ids, decide) {
      const known = byId(await real.read(ids));
      for (const change of decide(known)(new Date())) {
        await turn();
        inside.apply(change);
      }
    },
  }),
};

export const changingMutants: Mutants = {
  'read returns the records with these ids, and nothing for the ids of others': [
    {
      log: (real, inside) => ({
        read: (ids) => real.read([...inside.records.keys()].filter((known) => ids.some((id) => known.startsWith(id)))),
      }),
    },
  ],
  'read returns more records than are read at once': [
    { log: (real) => ({ read: (ids) => real.read(ids.slice(0, 500)) }) },
  ],
  'read leaves out records that have expired': [
    { log: (_, inside) => ({ read: async (ids) => recordsOf(inside, ids) }) },
  ],
  'change tells decide which of the records are there and have not expired': [
    {
      log: (real, inside) => ({
        change: (ids, decide) => real.change(ids, () => decide(byId(recordsOf(inside, ids)))),
      }),
    },
  ],
  'a change whose decide throws changes nothing': [
    {
      log: (real, inside) => ({
        change: (ids, decide) =>
          real.change(ids, decide).catch((error: unknown) => {
            inside.apply({ delete: ids[0] as string });
            throw error;
          }),
      }),
    },
  ],
  'a change that decides to change nothing leaves nothing behind': [
    makes((changes, ids) => (changes.length > 0 ? changes : [{ delete: `${ids[0]}, or another` }])),
    {
      log: (real, inside) => ({
        async change(ids, decide) {
          await real.change(ids, decide);
          inside.apply({ delete: 'another' });
        },
      }),
    },
  ],
  'the last call of what decide returned gets the time of the change': [
    {
      log: (real) => ({
        change: (ids, decide) =>
          real.change(ids, (known) => {
            const made = decide(known);
            return (now) => {
              const changes = made(now);
              made(new Date(0));
              return changes;
            };
          }),
      }),
    },
  ],
  'nobody sees a part of a change': [racy],
  'a change of a record that this process has read or changed is decided by what others made of it since': [
    {
      // Decides by the record as it was at the change before.
      log: (real) => {
        const before = new Map<string, MemoryRecord>();
        return {
          change: (ids, decide) =>
            real.change(ids, (known) => {
              const made = decide(new Map([...known].map(([id, record]) => [id, before.get(id) ?? record])));
              for (const [id, record] of known) before.set(id, record);
              return made;
            }),
        };
      },
    },
  ],
  'a change is decided again if one of its records changes meanwhile': [racy],
  'of several changes that create a record if it is missing, one does': [racy],
  'the number of a change is higher than that of every change before': [
    makes((changes) => changes.toReversed()),
    parts(({ changes }) => ({ changes: changes.map((one) => ({ ...one, change: one.change % 7 })) })),
  ],
  'a replaced record keeps the change that created it, one that was deleted or has expired is created again': [
    {
      log: (real, inside) => ({
        async change(ids, decide) {
          await real.change(ids, decide);
          for (const [id, one] of inside.records) inside.records.set(id, { ...one, created: one.change });
        },
      }),
    },
    {
      // Keeps the places of records that have expired.
      log: (real, inside) => ({
        async change(ids, decide) {
          const before = new Map(inside.records);
          await real.change(ids, decide);
          for (const [id, one] of inside.records) {
            inside.records.set(id, { ...one, created: before.get(id)?.created ?? one.created });
          }
        },
      }),
    },
  ],
  'a batch that puts a record twice creates it by its first put, and changes it last by its last put': [
    // Its place among the changes is that of its first put.
    makes((changes) => [...new Map(changes.map((one) => [idOf(one), one])).values()]),
    // Its place in the order of creation is that of its last put.
    makes((changes) => changes.filter((one, n) => !changes.slice(n + 1).some((later) => idOf(later) === idOf(one)))),
  ],
  'a change whose signal is aborted is made, or rejects with ABORTED and changes nothing': [
    {
      log: (real) => ({
        async change(ids, decide, signal) {
          await real.change(ids, decide);
          if (signal?.aborted) throw new MemoryError('ABORTED', 'Aborted.');
        },
      }),
    },
  ],
};
