// Writes until its input ends. The argument is { urls, place, writer }.
import { writeOn } from '@keepsake/suites/faults/write-on';
import { Cluster, Redis } from 'ioredis';
import { RedisSession, RedisStore } from '../../src/index.ts';

export interface Use {
  /** One server, or the nodes of a cluster. */
  readonly urls: readonly string[];
  readonly place: string;
  readonly writer: string;
}

const { urls, place, writer } = JSON.parse(process.argv[2] ?? '') as Use;
const client = urls.length === 1 ? new Redis(urls[0] as string) : new Cluster([...urls]);
await client.ping();
const store = new RedisStore({ client, name: 'memory', namespace: [place] });
await writeOn(writer, new RedisSession({ client, sessionId: place }), store);
client.disconnect();
