import { describeSession } from '@keepsake/conformance';
import { startOpenAI } from '@keepsake/emulators';
import { describe, it } from 'vitest';
import { OpenAIConversationsSession } from '../src/index.ts';
import { clientOf } from './emulated.ts';

describeSession({
  name: 'OpenAIConversationsSession',
  describe,
  it,
  capabilities: {
    shared: true,
    keepsIdOnClear: false,
    anyItem: false,
    anyId: false,
    durable: false,
    batchItems: 20,
    canFail: true,
  },
  async harness() {
    const emulator = await startOpenAI();
    const client = clientOf(emulator, { maxRetries: 0 });
    return {
      open: (conversationId) =>
        new OpenAIConversationsSession(conversationId === undefined ? { client } : { client, conversationId }),
      fail: () => emulator.faults.cut('before'),
      heal: () => emulator.faults.heal(),
      close: () => emulator.stop(),
    };
  },
});
