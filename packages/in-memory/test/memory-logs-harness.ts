import type { DecideChanges, RecordLog, RecordLogs } from '@keepsake/search';
import type { RecordLogsHarness } from '@keepsake/suites/stores/record-logs';
import type { MemoryLogs } from './memory-logs.ts';

/** A harness of logs in memory, which all who open them share. */
export function memoryLogsHarness(logs: MemoryLogs, opened: RecordLogs = logs): RecordLogsHarness {
  const owners = new WeakMap<Float32Array, string | undefined>();
  return {
    open: (embedder) => ({
      durable: opened.durable,
      shared: opened.shared,
      open: (namespace) => ofEmbedder(opened.open(namespace), embedder?.id, owners),
      cursorSeal: () => opened.cursorSeal(),
      namespacesBelow: (namespace) => opened.namespacesBelow(namespace),
      nextNamespaces: (below, list) => opened.nextNamespaces(below, list),
      clearTree: (namespace) => opened.clearTree(namespace),
    }),
    endLeases: async () => logs.endLeases(),
  };
}

/** A log whose vectors are read only by those who have the embedder of the writer. */
function ofEmbedder(
  log: RecordLog,
  embedder: string | undefined,
  owners: WeakMap<Float32Array, string | undefined>,
): RecordLog {
  return {
    read: (ids) => log.read(ids),
    change(ids, decide, signal) {
      const noting: DecideChanges = (known) => {
        const made = decide(known);
        return (now) => {
          const changes = made(now);
          for (const one of changes) if ('put' in one && one.vector) owners.set(one.vector, embedder);
          return changes;
        };
      };
      return log.change(ids, noting, signal);
    },
    async changes(after) {
      const part = await log.changes(after);
      const isOwn = (vector: Float32Array | undefined) => vector !== undefined && owners.get(vector) === embedder;
      const changes = part.changes.map((one) =>
        'deleted' in one || isOwn(one.vector) ? one : { ...one, vector: undefined },
      );
      return { ...part, changes };
    },
    list: (range) => log.list(range),
    clear: () => log.clear(),
    compact: () => log.compact(),
    readIndex: (variant) => log.readIndex(variant),
    writeIndex: (variant, known) => log.writeIndex(variant, known),
  };
}
