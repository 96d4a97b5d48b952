import type { Page, PageOptions } from '@keepsake/core';
import { pageLimit } from '@keepsake/core/adapter';
import type { Places } from './places.ts';
import { type ListedRun, type RunStatus, toListed } from './run.ts';
import { RunStore } from './run-store.ts';
import type { StoredSession } from './session.ts';
import type { SessionRecords } from './session-records.ts';
import { type UnfinishedFilter, type UnfinishedRun, UnfinishedRuns } from './unfinished-runs.ts';

/** Which unfinished runs to list. */
export interface UnfinishedQuery extends UnfinishedFilter {
  readonly status: RunStatus | undefined;
  isListed(session: StoredSession): boolean;
}

/** The unfinished runs of all sessions, newest first. */
export async function listUnfinished(
  places: Places,
  sessions: SessionRecords,
  query: UnfinishedQuery,
  options: PageOptions,
  tenant: string | undefined,
): Promise<Page<ListedRun>> {
  const { kind, sessionId, status } = query;
  const unfinished = new UnfinishedRuns(places);
  const limit = pageLimit(options);
  const items: ListedRun[] = [];
  let { cursor } = options;
  do {
    // Entries of other users are left out, so one page of entries may not be enough.
    const page = await unfinished.list({ kind, sessionId }, { cursor, limit: limit - items.length });
    items.push(...(await Promise.all(page.items.map(read))).flat());
    cursor = page.cursor;
  } while (items.length < limit && cursor !== undefined);
  return { items, ...(cursor === undefined ? {} : { cursor }) };

  /** Entries can be outdated. */
  async function read(entry: UnfinishedRun): Promise<ListedRun[]> {
    const [foundRun, session] = await Promise.all([
      new RunStore(places, entry.kind).find(entry.runId),
      sessions.get(entry.kind, entry.sessionId),
    ]);
    if (foundRun?.sessionId !== entry.sessionId || session === undefined || !query.isListed(session)) return [];
    const { run } = foundRun;
    const isListed = status === undefined ? run.status !== 'completed' : run.status === status;
    return isListed ? [toListed(run, session, tenant)] : [];
  }
}
