import { MemoryManager } from '@keepsake/core';
import { FileStore } from '@keepsake/file';
import { generateText, type ModelMessage, wrapLanguageModel } from 'ai';
import { memoryMiddleware } from '../../src/index.ts';
import { scriptedModel } from '../programs/scripted-model.ts';

/** Opens the memory in a directory. Messages are extracted only when it closes; until then, they are in the outbox. */
export async function openMemory(directory: string) {
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

/** Says something to a model with this memory. Returns the model's input. */
export async function say(memory: MemoryManager, says: string, answer: string): Promise<readonly ModelMessage[]> {
  const model = scriptedModel(answer);
  await generateText({ model: wrapLanguageModel({ model, middleware: memoryMiddleware(memory) }), prompt: says });
  return (model.doGenerateCalls[0]?.prompt ?? []) as readonly ModelMessage[];
}
