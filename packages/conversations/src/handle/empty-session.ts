import { ProfileRecords } from '../profile/profile-records.ts';
import type { Places } from '../runs/places.ts';
import { RunStore } from '../runs/run-store.ts';
import type { StoredSession } from '../runs/session.ts';

/**
 * Removes the runs of a session and its own profile. Returns the number of runs. Delete the session only afterwards: then an
 * interrupted removal can be repeated, and runs saved in the meantime are not left behind.
 */
export async function emptySession(places: Places, { kind, sessionId }: StoredSession): Promise<number> {
  const runs = await new RunStore(places, kind).clear(sessionId);
  await new ProfileRecords(places).delete({ scope: 'session', kind, sessionId });
  return runs;
}
