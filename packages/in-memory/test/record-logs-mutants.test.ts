import type { RecordLog } from '@keepsake/search';
import { recordLogsCases } from '@keepsake/suites/stores/record-logs';
import { describe, expect, it } from 'vitest';
import { MemoryLog, MemoryLogs } from './memory-logs.ts';
import { memoryLogsHarness } from './memory-logs-harness.ts';
import type { Mutant } from './record-logs-mutants/mutant.ts';
import { recordLogsMutants } from './record-logs-mutants/mutants.ts';

/** A harness of logs in memory that break a promise. */
function broken({ log, logs }: Mutant) {
  const memory = new MemoryLogs(() => {
    const inside = new MemoryLog();
    return Object.assign(inside, log?.(methodsOf(inside), inside));
  });
  const real = memory.open.bind(memory);
  const opened = {
    durable: memory.durable,
    shared: memory.shared,
    open: real,
    cursorSeal: () => memory.cursorSeal(),
    namespacesBelow: memory.namespacesBelow.bind(memory),
    nextNamespaces: memory.nextNamespaces.bind(memory),
    clearTree: memory.clearTree.bind(memory),
    ...logs?.(memory),
  };
  return memoryLogsHarness(memory, opened);
}

/** The methods of a log, which others may replace. */
function methodsOf(log: MemoryLog): RecordLog {
  return {
    read: log.read.bind(log),
    change: log.change.bind(log),
    changes: log.changes.bind(log),
    list: log.list.bind(log),
    clear: log.clear.bind(log),
    compact: log.compact.bind(log),
    readIndex: log.readIndex.bind(log),
    writeIndex: log.writeIndex.bind(log),
  };
}

describe('each case of the suite for record logs', () => {
  it('has a unique title and a mutant', () => {
    const titles = recordLogsCases.map(({ title }) => title);
    expect(new Set(titles).size).toBe(titles.length);
    expect(Object.keys(recordLogsMutants).sort()).toEqual(titles.toSorted());
  });

  for (const { title, run } of recordLogsCases) {
    for (const [n, mutant] of (recordLogsMutants[title] ?? []).entries()) {
      it(`fails on logs that break it: ${title} (${n + 1})`, async () => {
        const failure: unknown = await run(broken(mutant)).catch((error: unknown) => error);
        expect(failure, 'The case passes on logs that break its promise').toBeInstanceOf(Error);
        expect(failure, 'A mutant that crashes proves nothing').not.toBeInstanceOf(TypeError);
      });
    }
  }
});
