// Writes until its input ends. The argument is { urls, place, writer, waitReplicas }.
import { writeOn } from '@keepsake/suites/faults/write-on';
import { Cluster, Redis } from 'ioredis';
import { RedisSession, RedisStore, type WaitReplicas } from '../../src/index.ts';

export interface Use {
  /** One server, or the nodes of a cluster. */
  readonly urls: readonly string[];
  readonly place: string;
  readonly writer: string;
  readonly waitReplicas?: WaitReplicas;
}

const { urls, place, writer, waitReplicas } = JSON.parse(process.argv[2] ?? '') as Use;
const client = urls.length === 1 ? new Redis(urls[0] as string) : new Cluster([...urls]);
await client.ping();
const store = new RedisStore({ client, name: 'memory', namespace: [place], waitReplicas });
await writeOn(writer, new RedisSession({ client, sessionId: place, waitReplicas }), store);
client.disconnect();
