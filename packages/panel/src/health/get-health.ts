import type { RecordStore } from '@keepsake/core';
import { formatNamespace } from '@keepsake/core';
import { withDeadline } from '@keepsake/core/adapter';
import { allPages, isOutbox } from '@keepsake/internal';
import { describeFailure } from '../http/answers.ts';
import { readQuery } from '../http/fields.ts';
import type { PanelParts } from '../panel-parts.ts';
import type { Health, HealthCheck } from '../protocol.ts';
import { checkFiles } from './check-files.ts';
import { deadLettersIn } from './dead-letters.ts';

const SLOW_MS = 1_000;
/** A part that takes longer has failed. */
const DEADLINE_MS = 5_000;
const MAX_COUNTED_SESSIONS = 10_000;

/** Tries each part once, and counts. A part that fails is in the answer, and so is what the others say. */
export async function getHealth(panel: PanelParts, query: URLSearchParams): Promise<Health> {
  readQuery(query, {});
  const { config, places, tree } = panel;
  const { configuration } = config;
  const checks = [
    await check('memory', async () => tryStore(await places.root())),
    ...(configuration.sessions === undefined
      ? []
      : [await check('sessions', async () => (await config.sessions()).list({ limit: 1 }))]),
    await check('conversations', async () => (await config.conversations()).listSessions({ allUsers: true, limit: 1 })),
    await check('space', () => config.space()),
    ...(configuration.workspace === undefined
      ? []
      : [await check('workspace', async () => (await config.workspace())?.list(''))]),
  ];
  const hasMemory = checks[0]?.ok === true;
  const namespaces = hasMemory ? await tree.all() : [];
  const { parent } = hasMemory ? await tree.level('', { limit: 1 }) : { parent: undefined };
  const outbox = namespaces
    .filter(({ namespace }) => isOutbox(namespace) && namespace.at(-1) !== 'dead-letters')
    .map(({ namespace, recordCount }) => ({ namespace: formatNamespace(namespace), recordCount }));
  const hasSessions = checks.some(({ part, ok }) => part === 'sessions' && ok);
  const files = await checkFiles(config);
  return {
    checks,
    counts: {
      namespaces: namespaces.length + (parent !== undefined && parent.recordCount > 0 ? 1 : 0),
      records: namespaces.reduce((sum, { recordCount }) => sum + recordCount, parent?.recordCount ?? 0),
      more: parent?.more ?? false,
      ...(hasSessions && (await countSessions(panel))),
    },
    outbox,
    deadLetters: await deadLettersIn(places, namespaces),
    ...(files !== undefined && { files }),
    checkedAt: new Date().toISOString(),
  };
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
