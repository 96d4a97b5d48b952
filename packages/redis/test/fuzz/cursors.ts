import { writeCursor } from '@keepsake/core/adapter';
import { mutateJson } from '@keepsake/testing/fuzz/json';
import type { Random } from '@keepsake/testing/fuzz/random';
import { fuzzTarget } from '@keepsake/testing/fuzz/target';
import { mutateText } from '@keepsake/testing/fuzz/text';
import type { RedisClient } from '../../src/client/redis-client.ts';
import { RedisSessionStore, RedisStore } from '../../src/index.ts';
import { packId, unpackId } from '../../src/stores/pack-id.ts';

/** Refuses, as without a connection, whatever gets past the checks. */
const client: RedisClient = {
  call: () => Promise.reject(new Error('No server.')),
  callBuffer: () => Promise.reject(new Error('No server.')),
};

const POSITIONS = {
  'records oldest': ['12', 3],
  'records newest': ['12', 3],
  sessions: [12, 3, 's'],
  namespaces: ['a'],
};

function cursorOf(random: Random): string {
  const [kind, position] = random.pick(Object.entries(POSITIONS));
  const changed = mutateJson(random, position);
  const cursor = writeCursor(kind, Array.isArray(changed) ? changed : [changed as string]);
  return random.chance(0.5) ? mutateText(random, cursor) : cursor;
}

export const recordLists = fuzzTarget({
  input: (random) => ({ cursor: cursorOf(random), order: random.pick(['oldest', 'newest'] as const) }),
  run: (options) => new RedisStore({ client, name: 'memory' }).list(options),
});

export const sessionLists = fuzzTarget({
  input: cursorOf,
  run: (cursor) => new RedisSessionStore({ client }).list({ cursor }),
});

export const namespaceLists = fuzzTarget({
  input: cursorOf,
  run: (cursor) => new RedisStore({ client, name: 'memory' }).namespaces({ cursor }),
});

const IDS = ['content-'.padEnd(72, '0f'), '01a2097b-d69c-7524-91fe-54c59f2c8551', 'a:b', '\u0001'];

export const packedIds = fuzzTarget({
  input: (random) => mutateText(random, random.pick(IDS), IDS).replaceAll('\0', '').toWellFormed(),
  run(id) {
    if (unpackId(packId(id)) !== id) throw new Error('Another id than the packed one.');
  },
});
