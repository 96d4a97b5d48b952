import {
  type AddMessagesContext,
  InvocationTrigger,
  type MemoryEntry,
  MemoryManager,
  type MemoryStore,
  type Message,
  messageText,
} from '@keepsake/core';

/** Stands in for a service that distils conversations on its side. */
const service = {
  async ingest(body: { conversation: string; lines: { key: string; text: string }[] }): Promise<void> {
    console.log(body.lines.map(({ text }) => text));
  },
};

class ServiceStore implements MemoryStore {
  readonly name = 'service';
  readonly writable = true;
  readonly extraction = { trigger: new InvocationTrigger() }; // no extractor: addMessages is called

  async search(): Promise<MemoryEntry[]> {
    return [];
  }

  async addMessages(messages: Message[], { thread = '', runId, sequenceNumbers }: AddMessagesContext = {}) {
    const lines = messages.map((message, index) => ({
      // The same in a retry, which may have other messages too.
      key: `${runId}/${sequenceNumbers?.[index]}`,
      text: `${message.role}: ${messageText(message)}`,
    }));
    await service.ingest({ conversation: thread, lines });
  }
}

const memory = new MemoryManager({ stores: [new ServiceStore()] });
const chat = memory.conversation({ id: 'thread-42' });
chat.observe(
  { role: 'user', content: 'What is the weather in Oslo?' },
  { role: 'assistant', content: [{ toolUse: { name: 'weather', toolUseId: 't1', input: { city: 'Oslo' } } }] },
  { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: 'Rain' }] } }] },
  { role: 'assistant', content: [{ text: 'It rains.' }] },
);
chat.endTurn();
await memory.flush();
