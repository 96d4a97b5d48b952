import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { Agent, type AgentInputItem, setTracingDisabled } from '@openai/agents';
import { assistantMessage, ScriptedModel } from '@openai/agents/testing';
import { memoryRunner } from '../../src/index.ts';

/** Opens the memory in a directory. Messages are extracted only when it closes; until then, they are in the outbox. */
export async function openMemory(directory: string) {
  setTracingDisabled(true);
  const trigger = { name: 'never', attach() {} };
  const store = new FileStore({ directory, name: 'facts', extraction: { trigger } });
  const outbox = new FileStore({ directory, name: 'outbox', namespace: ['outbox'] });
  const memory = new MemoryManager({ stores: [store], outbox });
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
export async function say(memory: MemoryManager, says: string, answer: string): Promise<readonly AgentInputItem[]> {
  const model = new ScriptedModel([[assistantMessage(answer)]]);
  await memoryRunner(memory).run(new Agent({ name: 'Guide', model }), says);
  return model.firstCall?.request.input as readonly AgentInputItem[];
}
