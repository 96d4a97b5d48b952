import { setImmediate as agentWorks } from 'node:timers/promises';
import { type ExtractionTrigger, MemoryManager, type MemoryStore, messageText } from '@keepsake/core';

/** Extracts at the end of a turn that contains a decision. */
const onDecision: ExtractionTrigger = {
  name: 'on-decision',
  attach({ conversation, fire }) {
    let decided = false;
    conversation.onMessages((messages) => {
      decided ||= messages.some((message) => /\bdecided\b/.test(messageText(message)));
    });
    conversation.onEndTurn(() => {
      if (decided) fire();
      decided = false;
    });
  },
};

const minutes: MemoryStore = {
  name: 'minutes',
  writable: true,
  extraction: { trigger: onDecision },
  search: async () => [],
  addMessages: async (messages) => console.log('to be remembered:', messages.map(messageText)),
};

const memory = new MemoryManager({ stores: [minutes] });
const chat = memory.conversation();
for (const content of ['Blue or green?', 'We have decided: green.', 'I will buy the paint.']) {
  chat.observe({ role: 'user', content });
  chat.endTurn();
  await agentWorks();
}
await memory.flush(); // the rest
