import { formatNamespace, type MemoryRecord, type Namespace } from '@keepsake/core';
import type { IndexWriter, LogChange, LoggedRecord, LogPart, RecordLog, RecordLogs } from '@keepsake/search';
import type { MemoryLog, MemoryLogs } from '../memory-logs.ts';

/** Breaks one promise of logs in memory. */
export interface Mutant {
  /** Methods in place of those of a log. */
  readonly log?: (real: RecordLog, inside: MemoryLog) => Partial<RecordLog>;
  /** The same for those of all logs. */
  readonly logs?: (real: MemoryLogs) => Partial<RecordLogs>;
}

/** Mutants of cases, by the title of the case. */
export type Mutants = Readonly<Record<string, readonly Mutant[]>>;

export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Changes the parts that are read. */
export function parts(change: (part: LogPart, inside: MemoryLog, isFirst: boolean) => Partial<LogPart>): Mutant {
  return {
    log: (real, inside) => ({
      async changes(after) {
        const part = await real.changes(after);
        return { ...part, ...change(part, inside, after === undefined) };
      },
    }),
  };
}

/** Makes other changes than those that were decided. */
export function makes(change: (changes: readonly LogChange[], ids: readonly string[]) => readonly LogChange[]): Mutant {
  return {
    log: (real) => ({
      change: (ids, decide) =>
        real.change(ids, (known) => {
          const made = decide(known);
          return (now) => change(made(now), ids);
        }),
    }),
  };
}

/** Saves indexes with another writer. */
export function writes(
  change: (writer: IndexWriter, inside: MemoryLog, variant: string) => Partial<IndexWriter>,
): Required<Pick<Mutant, 'log'>> {
  return {
    log: (real, inside) => ({
      async writeIndex(variant, known) {
        const writer = await real.writeIndex(variant, known);
        return writer && { ...writer, ...change(writer, inside, variant) };
      },
    }),
  };
}

export const idOf = (change: LogChange) => ('put' in change ? change.put.id : change.delete);

export const isExpired = ({ record }: LoggedRecord) => Date.parse(record.expiresAt ?? '9999-01-01') <= Date.now();

export const recordsOf = ({ records }: MemoryLog, ids: readonly string[]) => ids.flatMap((id) => records.get(id) ?? []);

export const byId = (list: readonly LoggedRecord[]): Map<string, MemoryRecord> =>
  new Map(list.map(({ record }) => [record.id, record]));

export const startsLike = (one: Namespace, other: Namespace) => formatNamespace(one).startsWith(formatNamespace(other));

/** Publishes whatever happened to the namespace. */
export const unchecked = writes((_, inside, variant) => {
  const written: Uint8Array[] = [];
  return {
    write: async (pages) => void written.push(...pages.map((page) => page.slice())),
    async publish(position) {
      inside.writers.delete(variant);
      inside.indexes.set(variant, { ...position, id: written.length, written });
    },
  };
});
