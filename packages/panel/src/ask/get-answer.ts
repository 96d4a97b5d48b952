import { type Logger, type MemoryEntry, MemoryManager, type RecordStore } from '@keepsake/core';
import { estimateTokens } from '@keepsake/internal';
import { flag, invalid, readQuery, requiredText, text, whole } from '../http/fields.ts';
import { entryRow } from '../memory/record-row.ts';
import type { PanelParts } from '../panel-parts.ts';
import { type Answer, LIMITS } from '../protocol.ts';
import { shownText } from '../shown-text.ts';

const QUESTION = {
  question: requiredText(LIMITS.queryCharacters),
  namespace: text(16_384),
  descendants: flag,
  user: text(256),
  agent: text(256),
  limit: whole(1, LIMITS.pageSize, 20),
} as const;

/** What would be recalled for a question, and the block that a model would get with it. */
export async function getAnswer(panel: PanelParts, query: URLSearchParams): Promise<Answer> {
  const fields = readQuery(query, QUESTION);
  const { question, descendants, limit } = fields;
  const { store, namespace } = await askedPlace(panel, fields);
  const startedAt = performance.now();
  const entries = await store.search(question, { maxSearchResults: limit, descendants, explain: true });
  const tookMs = performance.now() - startedAt;
  const { block, injected } = await blockFor(store, question);
  const shown = new Set(injected.map(({ id }) => id));
  const hits = entries.map(async (entry, index) => ({
    ...entryRow(entry, await panel.places.nameOf(entry.namespace, namespace)),
    rank: index + 1,
    score: entry.score ?? 0,
    ...(entry.explanation !== undefined && { explanation: entry.explanation }),
    injected: entry.id !== undefined && shown.has(entry.id),
  }));
  return {
    namespace,
    hits: await Promise.all(hits),
    ...(block !== undefined && { block: shownText(block, LIMITS.longText) }),
    blockTokens: block === undefined ? 0 : estimateTokens(block),
    tookMs,
  };
}

interface Asked {
  readonly namespace: string | undefined;
  readonly user: string | undefined;
  readonly agent: string | undefined;
}

/** The namespace that is named, or the private memory of a user of an agent. */
async function askedPlace({ config, places }: PanelParts, { namespace = '', user, agent }: Asked) {
  if (user === undefined && agent === undefined) return { store: await places.at(namespace), namespace };
  if (user === undefined || agent === undefined) throw invalid('Pass user and agent together, or a namespace.');
  if (namespace !== '') throw invalid('Pass a namespace, or user and agent, not both.');
  const scope = (await config.space()).as({ principal: { id: user }, agent });
  // By its place, because the root of a read-only panel is read-only.
  const name = await places.nameOf([...(await places.root()).namespace, ...scope.namespace], '');
  return { store: await places.at(name), namespace: name };
}

/** The block that a manager of this store injects, and its entries. Asks for them separately, because it returns only one. */
async function blockFor(store: RecordStore, question: string) {
  const messages = [{ role: 'user' as const, content: question }];
  const failures: unknown[] = [];
  const settings = {
    stores: [store],
    telemetry: {
      logger: SILENT,
      onStoreError: ({ error }: { readonly error: unknown }) => void failures.push(error),
    },
  };
  const block = await new MemoryManager(settings).conversation().block(messages);
  if (block === undefined && failures.length > 0) throw failures[0];
  let injected: readonly MemoryEntry[] = [];
  const format = ({ entries }: { readonly entries: readonly MemoryEntry[] }) => {
    injected = entries;
    return 'noted';
  };
  if (block !== undefined)
    await new MemoryManager({ ...settings, injection: { format } }).conversation().block(messages);
  return { block, injected };
}

/** Failures reach the page. */
const SILENT: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
