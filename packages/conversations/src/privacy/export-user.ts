import { ProfileRecords } from '../profile/profile-records.ts';
import type { Places } from '../runs/places.ts';
import { RunRecords } from '../runs/run-records.ts';
import { toSession } from '../runs/session.ts';
import type { SessionRecords } from '../runs/session-records.ts';

/** See `ConversationMemory.exportUser`. */
export async function* exportUser(
  places: Places,
  sessions: SessionRecords,
  userId: string,
  tenant: string | undefined,
): AsyncGenerator<string> {
  yield line({ keepsake: 'conversations-export', version: 1, userId, exportedAt: new Date().toISOString() });
  const profile = await new ProfileRecords(places).get({ scope: 'user', userId });
  if (profile !== undefined) yield line({ kind: 'profile', profile });
  for await (const session of sessions.allOf(userId)) {
    yield line({ kind: 'conversation', conversation: toSession(session, tenant) });
    const runs = new RunRecords(places, session.kind, session.sessionId);
    for await (const page of runs.pages()) {
      for (const { seq } of page) {
        const run = await runs.get(seq);
        if (run !== undefined) yield line({ kind: 'run', sessionId: session.sessionId, run });
      }
    }
  }
}

function line(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
