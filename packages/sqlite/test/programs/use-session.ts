// Uses a session in its own process. The argument is { file, durability, job }.
import { type SessionJob, useSession } from '@keepsake/suites/sessions/use-session';
import { type Durability, SqliteSession } from '../../src/index.ts';

export interface Use {
  readonly file: string;
  readonly durability: Durability;
  readonly job: SessionJob;
}

const { file, durability, job } = JSON.parse(process.argv[2] ?? '') as Use;
await useSession(new SqliteSession({ file, durability, sessionId: 's' }), job);
