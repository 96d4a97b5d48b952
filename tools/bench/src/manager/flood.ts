import { InvocationTrigger, MemoryManager, type MemoryStore } from '@keepsake/core';
import { heldBytes } from '../held-bytes.ts';
import { turn } from './messages.ts';

/** The result of observing turns faster than a store could save them. */
export interface Flooded {
  /** The memory of the manager after all turns were observed and none was saved, in bytes. */
  readonly held: number;
  /** Messages that were neither saved nor reported as dropped, or that were saved twice. */
  readonly faults: number;
}

/** Observes turns while the store hangs, then lets it continue. Requires Node's flag `--expose-gc`. */
export async function flood(turns: number): Promise<Flooded> {
  let goOn = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const saved = new Set<number>();
  let twice = 0;
  let dropped = 0;
  const store: MemoryStore = {
    name: 'bench',
    writable: true,
    extraction: { trigger: new InvocationTrigger(), deadlineMs: 3_600_000 },
    search: async () => [],
    async addMessages(_messages, { sequenceNumbers = [] } = {}) {
      await gate;
      for (const number of sequenceNumbers) {
        if (saved.has(number)) twice++;
        saved.add(number);
      }
    },
  };
  const memory = new MemoryManager({
    stores: [store],
    telemetry: {
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      onStoreError: ({ count = 0 }) => {
        dropped += count;
      },
    },
  });
  const held = await heldBytes(async () => {
    const chat = memory.conversation();
    for (let number = 0; number < turns; number++) {
      chat.observe(...turn(number));
      await chat.endTurn();
    }
    return memory;
  });
  goOn();
  await memory.flush();
  return { held, faults: Math.abs(turns * 2 - saved.size - dropped) + twice };
}
