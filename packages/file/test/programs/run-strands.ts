// Runs a conversation in a separate process. Argument: a ConversationRequest. Prints the model's inputs.

import { type Reply, ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, MemoryManager } from '@strands-agents/sdk';
import { FileStore } from '../../src/index.ts';

export interface ConversationRequest {
  readonly directory: string;
  /** The user's messages, in order. */
  readonly says: readonly string[];
  readonly replies: readonly Reply[];
}

const { directory, says, replies } = JSON.parse(process.argv[2] ?? '') as ConversationRequest;
const store = new FileStore({ directory, name: 'facts', extraction: true });
const memoryManager = new MemoryManager({ stores: [store], addToolConfig: true });
const model = new ScriptedModel(...replies);
const agent = new Agent({ model, memoryManager, printer: false });
for (const text of says) await agent.invoke(text);
await memoryManager.flush();
process.stdout.write(JSON.stringify(model.inputs));
