import { formatNamespace, type JsonObject, type Namespace, type RecordStore, type SessionStore } from '@keepsake/core';
import { withDeadline } from '@keepsake/core/adapter';
import { allPages, isObject, isOutbox } from '@keepsake/internal';
import { describeFailure } from '../http/answers.ts';
import { readQuery } from '../http/fields.ts';
import type { MemoryPlaces } from '../memory/memory-places.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { DeadLetterRow, Health, HealthCheck } from '../protocol.ts';
import { checkFiles } from './check-files.ts';

const SLOW_MS = 1_000;
/** A part that takes longer has failed. */
const DEADLINE_MS = 5_000;
const MAX_COUNTED_SESSIONS = 10_000;

/** Tries each part once, and counts. A part that fails is in the answer, and so is what the others say. */
export async function getHealth(panel: PanelParts, query: URLSearchParams): Promise<Health> {
  readQuery(query, {});
  const { config, places, tree } = panel;
  const { checks, opened } = await tryParts(panel);
  const hasMemory = checks[0]?.ok === true;
  const namespaces = hasMemory ? await tree.all() : [];
  const { recordCount: ofRoot, more = false } = hasMemory ? await tree.countRoot() : { recordCount: 0 };
  const outbox = namespaces
    .filter(({ namespace }) => isOutbox(namespace) && namespace.at(-1) !== 'dead-letters')
    .map(({ namespace, recordCount }) => ({ namespace: formatNamespace(namespace), recordCount }));
  const hasSessions = checks.some(({ part, ok }) => part === 'sessions' && ok);
  const files = await checkFiles(config, opened);
  return {
    checks,
    counts: {
      namespaces: namespaces.length + (ofRoot > 0 ? 1 : 0),
      records: namespaces.reduce((sum, { recordCount }) => sum + recordCount, ofRoot),
      more,
      ...(hasSessions && (await countSessions(panel))),
    },
    outbox,
    deadLetters: await deadLettersIn(places, namespaces),
    ...(files !== undefined && { files }),
    checkedAt: new Date().toISOString(),
  };
}

/** Checks each part of the configuration, and returns the stores that could be opened. */
async function tryParts({ config, places }: PanelParts) {
  const { sessions, workspace } = config.configuration;
  const opened: { readonly directory?: string }[] = [];
  const note = <Store extends RecordStore | SessionStore>(store: Store) => {
    opened.push(store);
    return store;
  };
  const checks = [
    await check('memory', async () => tryStore(note(await places.root()))),
    ...(sessions === undefined
      ? []
      : [await check('sessions', async () => note(await config.sessions()).list({ limit: 1 }))]),
    await check('conversations', async () => (await config.conversations()).listSessions({ allUsers: true, limit: 1 })),
    await check('space', () => config.space()),
    ...(workspace === undefined ? [] : [await check('workspace', async () => (await config.workspace())?.list(''))]),
  ];
  return { checks, opened };
}

async function check(part: HealthCheck['part'], work: () => Promise<unknown>): Promise<HealthCheck> {
  const startedAt = performance.now();
  const done = (ok: boolean) => {
    const latencyMs = performance.now() - startedAt;
    return { part, ok, latencyMs, slow: latencyMs > SLOW_MS };
  };
  try {
    await withDeadline(DEADLINE_MS, undefined, work);
    return done(true);
  } catch (error) {
    return { ...done(false), error: describeFailure(error) };
  }
}

async function tryStore(store: RecordStore): Promise<unknown> {
  return store.capabilities.enumerate ? store.list({ limit: 1 }) : store.search('keepsake', { maxSearchResults: 1 });
}

async function countSessions({ config }: PanelParts): Promise<Pick<Health['counts'], 'sessions' | 'moreSessions'>> {
  const store = await config.sessions();
  let sessions = 0;
  for await (const page of allPages((options) => store.list(options))) {
    sessions += page.length;
    if (sessions >= MAX_COUNTED_SESSIONS) return { sessions, moreSessions: true };
  }
  return { sessions, moreSessions: false };
}

const MAX_LETTERS = 100;

/** The messages that managers gave up, of all outboxes: the first part of each has what happened to it. */
async function deadLettersIn(
  places: MemoryPlaces,
  namespaces: readonly { readonly namespace: Namespace }[],
): Promise<DeadLetterRow[]> {
  const rows: DeadLetterRow[] = [];
  for (const { namespace } of namespaces) {
    if (!isOutbox(namespace) || namespace.at(-1) !== 'dead-letters') continue;
    const name = formatNamespace(namespace);
    const { items } = await (await places.at(name)).list({ filter: { part: 0 }, limit: MAX_LETTERS });
    rows.push(...items.map(({ metadata }) => letterRow(metadata, name)));
    if (rows.length >= MAX_LETTERS) break;
  }
  return rows.slice(0, MAX_LETTERS);
}

function letterRow({ storeName, thread, at, failedAt, error }: JsonObject, namespace: string): DeadLetterRow {
  const { code, message } = isObject(error) ? error : {};
  return {
    namespace,
    storeName: String(storeName),
    thread: String(thread),
    at: String(at),
    failedAt: String(failedAt),
    error: { ...(typeof code === 'string' && { code }), message: String(message) },
  };
}
