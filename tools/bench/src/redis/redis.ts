import { startRedis } from '@keepsake/services';
import { Redis } from 'ioredis';
import { type Area, ofRows } from '../area.ts';
import { FULL, QUICK } from '../sessions/scale.ts';
import { sessionKinds } from './session-kinds.ts';
import { sessionRows } from './session-rows.ts';

/** What is kept in Redis, on a server of its own that writes nothing to the disk. */
export const redis: Area = {
  title: 'Redis: a turn is two items, together about 1 KB, with a TTL',
  async run({ quick, say }) {
    const scale = quick ? QUICK : FULL;
    const server = await startRedis({ own: true });
    const client = new Redis(server.url);
    try {
      const { peers, ...others } = sessionKinds(client);
      return ofRows(await sessionRows({ ...others, peers: scale.withPeers ? peers : [] }, scale, say));
    } finally {
      client.disconnect();
      await server.stop();
    }
  },
};
