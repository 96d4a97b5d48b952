import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, type MessageData } from '@strands-agents/sdk';
import { keepsake } from '../../src/index.ts';

/** Opens the memory in a directory. Messages are extracted only when it closes; until then, they are in the outbox. */
export async function openMemory(directory: string) {
  const trigger = { name: 'never', attach() {} };
  const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
  const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
  const memory = new MemoryManager({
    stores: [store],
    outbox,
    // However busy the machine is.
    search: { deadlineMs: 60_000 },
  });
  await memory.recover();
  return {
    memory,
    outbox,
    async close() {
      await memory.flush();
      await outbox.close();
      await store.close();
    },
  };
}

/** Says something to an agent with this memory. Returns the model's input. */
export async function say(memory: MemoryManager, says: string, answer: string): Promise<readonly MessageData[]> {
  const model = new ScriptedModel(answer);
  await new Agent({ model, plugins: [keepsake(memory)], printer: false }).invoke(says);
  return model.inputs[0] ?? [];
}
