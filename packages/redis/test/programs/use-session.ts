// Uses a session in its own process. Takes { url, keyPrefix, sessionId, job } as its argument.
import { type SessionJob, useSession } from '@keepsake/suites/sessions/use-session';
import { Redis } from 'ioredis';
import { RedisSession } from '../../src/index.ts';

export interface Use {
  readonly url: string;
  readonly keyPrefix: string;
  readonly sessionId: string;
  readonly job: SessionJob;
}

const { url, keyPrefix, sessionId, job } = JSON.parse(process.argv[2] ?? '') as Use;
const client = new Redis(url);
await client.ping();
await useSession(new RedisSession({ client, keyPrefix, sessionId }), job);
client.disconnect();
