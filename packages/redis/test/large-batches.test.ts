import { largeBatch, turnsUntil } from '@keepsake/suites/stores/large-batches';
import { stepClock } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { RedisStore } from '../src/index.ts';
import { freshPrefix, sharedRedis } from './connections.ts';

const server = sharedRedis();

it('the event loop turns while the texts of a large batch are analysed, before they are sent', async () => {
  let isSent = false;
  const sending = <T>(send: () => T): T => {
    isSent = true;
    return send();
  };
  const client = {
    call: (command: string, values: (string | Buffer | number)[]) => sending(() => server.client.call(command, values)),
    callBuffer: (command: string, values: (string | Buffer | number)[]) =>
      sending(() => server.client.callBuffer(command, values)),
  };
  const store = new RedisStore({ client, keyPrefix: freshPrefix(), name: 'memory' });
  stepClock(6);
  const put = store.putMany(largeBatch());
  expect(await turnsUntil(() => isSent)).toBeGreaterThan(10);
  await put;
  expect((await store.search('w9x9')).map(({ id }) => id)).toEqual(['9']);
});
