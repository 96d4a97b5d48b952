import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { type Area, ofRows, type RunOptions } from '../area.ts';
import { type SessionTargets, sessionRows } from '../backends/session-rows.ts';
import { type StoreScale, type StoreTargets, storeRows } from '../backends/store-rows.ts';
import type { Row } from '../row.ts';
import { FULL, QUICK, type Scale } from '../sessions/scale.ts';
import { redisStore } from './redis-store.ts';
import { sessionKinds } from './session-kinds.ts';

const FULL_STORES: StoreScale = { entries: 100_000, rounds: 10, perRound: 200 };
const QUICK_STORES: StoreScale = { entries: 300, rounds: 2, perRound: 20 };

const SESSIONS: SessionTargets = {
  append: { atLeast: 0.8 },
  peers: { RedisChatMessageHistory: { atLeast: 2 } },
  newest: { atLeast: 1 / 1.25 },
  growth: { atMost: 1.5 },
};
const STORES: StoreTargets = {
  p50: { atMost: 10, unit: 'ms' },
  timesSinglePuts: { atLeast: 20 },
  timesTheText: { atMost: 3 },
};

/** Sessions and stores in Redis, on their own servers without persistence. */
export const redis: Area = {
  title: 'Redis: sessions, where a turn is two items, together about 1 KB, with a TTL; and stores',
  async run({ quick, say }) {
    const sessions = await sessionsOnOneServer(quick ? QUICK : FULL, say);
    const stores = await storeRows(redisStore, quick ? QUICK_STORES : FULL_STORES, STORES, say);
    return ofRows([...sessions, ...stores]);
  },
};

async function sessionsOnOneServer(scale: Scale, say: RunOptions['say']): Promise<Row[]> {
  const server = await startRedis({ own: true });
  const client = new Redis(server.url);
  try {
    const { peers, ...others } = sessionKinds(client);
    return await sessionRows({ ...others, peers: scale.withPeers ? peers : [] }, scale, SESSIONS, say);
  } finally {
    client.disconnect();
    await server.stop();
  }
}
