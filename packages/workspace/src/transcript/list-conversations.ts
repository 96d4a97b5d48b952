import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { type QueueEntry, readQueue } from '../files/queue.ts';
import type { Workspace } from '../files/workspace.ts';
import { readSegments } from './transcript.ts';
import { idsOfSessions, readTranscript } from './transcript-files.ts';

/** A conversation and its state. */
export interface ConversationInfo {
  readonly rolloutId: string;
  /**
   * - `queued`: it has grown and waits for extraction.
   * - `extracted`: there are notes, and nothing new.
   * - `empty`: there was nothing worth keeping.
   * - `failed`: extraction failed the last time.
   */
  readonly status: 'queued' | 'extracted' | 'empty' | 'failed';
  /** The time of its last activity. */
  readonly updatedAt: string;
  /** A path for `memory_open` to its summary; missing if there are no notes. */
  readonly summary?: string;
  /** Why extraction failed. */
  readonly error?: string;
}

/** The conversations of a memory, newest first. */
export async function listConversations(
  workspace: Workspace,
  ledger: Ledger,
  paths: Paths,
): Promise<ConversationInfo[]> {
  const queue = await readQueue(ledger, paths);
  const sessions = idsOfSessions(paths, await workspace.list(paths.layout.sessionsDir));
  const conversations: ConversationInfo[] = [];
  for (const id of new Set([...sessions, ...Object.keys(queue)])) {
    const entry = queue[id];
    const text = (await readTranscript(workspace, paths, id))?.text ?? '';
    const { segments } = readSegments(text, entry?.cursor ?? 0);
    const last = segments.at(-1);
    if (last === undefined && entry === undefined) continue;
    const { slug, error } = entry ?? {};
    conversations.push({
      rolloutId: entry?.rolloutId ?? last?.rolloutId ?? id,
      status: statusOf(entry, segments.length > 0),
      updatedAt: last?.updatedAt ?? entry?.updatedAt ?? '',
      ...(slug !== undefined && { summary: NAMES.rolloutSummary(id, slug) }),
      ...(entry?.status === 'failed' && error !== undefined && { error }),
    });
  }
  return conversations.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
}

function statusOf(entry: QueueEntry | undefined, isNew: boolean): ConversationInfo['status'] {
  if (entry?.status === 'failed') return 'failed';
  return isNew || entry === undefined ? 'queued' : entry.status;
}
