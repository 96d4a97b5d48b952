import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, MemoryManager, type MessageData } from '@strands-agents/sdk';
import { FileStore } from '../src/index.ts';

export interface ConversationRequest {
  readonly directory: string;
  /** The user's messages, in order. */
  readonly says: readonly string[];
  readonly replies: readonly Reply[];
}

/** Runs a conversation with an agent of Strands. Returns the model's inputs. */
export async function converse({ directory, says, replies }: ConversationRequest): Promise<MessageData[][]> {
  const store = new FileStore({ directory, name: 'facts', extraction: true });
  const memoryManager = new MemoryManager({ stores: [store], addToolConfig: true });
  const model = new ScriptedModel(...replies);
  const agent = new Agent({ model, memoryManager, printer: false });
  for (const text of says) await agent.invoke(text);
  await memoryManager.flush();
  return model.inputs;
}
