// Uses a session in its own process. The argument is { kind, url, sessionId, job }.
import { type SessionJob, useSession } from '@keepsake/suites/sessions/use-session';
import { PostgresSession } from '../../src/index.ts';
import { connectTo, type ServerDriver } from '../connect-to.ts';

export interface Use {
  readonly kind: ServerDriver;
  readonly url: string;
  readonly sessionId: string;
  readonly job: SessionJob;
}

const { kind, url, sessionId, job } = JSON.parse(process.argv[2] ?? '') as Use;
const { client, close } = connectTo(kind, url);
await useSession(new PostgresSession({ client, sessionId }), job);
await close();
