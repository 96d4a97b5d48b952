import { describeSession } from '@keepsake/conformance';
import { startOpenAI } from '@keepsake/emulators';
import { describe, it } from 'vitest';
import { OpenAIConversationsSession } from '../src/index.ts';
import { clientOf } from './emulated.ts';

/**
 * These take hundreds of requests. By day, `conversations-session.test.ts` reads and writes conversations of several pages and
 * batches, and other backends show that windows of any history are whole, which is decided of what was read.
 */
const LONG = [
  'a batch of 10,000 items comes back whole and in order',
  'any window of any history begins with a turn and has no call without its result',
  'of many concurrent pops, each returns another item, and none is lost',
];
const register = (title: string, body: () => Promise<void>) =>
  it(title, LONG.includes(title) ? { tags: ['nightly'] } : {}, body);

describeSession({
  name: 'OpenAIConversationsSession',
  describe,
  it: Object.assign(register, { skip: it.skip }),
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
