import type { MemoryRecord, Page, PageOptions } from '@keepsake/core';
import { allItems, sha256 } from '@keepsake/internal';
import type { ConversationKind } from './kind.ts';
import { paging } from './paging.ts';
import type { Places } from './places.ts';

/** Where an unfinished run is. */
export interface UnfinishedRun {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runId: string;
}

/** Selects unfinished runs. */
export interface UnfinishedFilter {
  readonly kind?: ConversationKind | undefined;
  readonly sessionId?: string | undefined;
}

/**
 * The runs of all sessions that have not completed. An entry can be outdated: its run may be missing or have completed.
 *
 * The time of an entry is the last sign of life of a run, apart from its saves. It is not in the record of the run, because
 * that would change the version, which decides who may continue the run.
 */
export class UnfinishedRuns {
  readonly #places: Places;

  constructor(places: Places) {
    this.#places = places;
  }

  /** Adds a run, or updates its time. */
  async add(run: UnfinishedRun): Promise<void> {
    const { kind, sessionId, runId } = run;
    const id = await entryId(kind, runId);
    await this.#places.unfinished.put({ id, content: 'run', metadata: { kind, sessionId, runId }, index: false });
  }

  /** The last sign of life of a run: ISO 8601, UTC. */
  async lastSign(kind: ConversationKind, runId: string): Promise<string | undefined> {
    return (await this.#places.unfinished.get(await entryId(kind, runId)))?.updatedAt;
  }

  async remove(kind: ConversationKind, runId: string): Promise<void> {
    await this.#places.unfinished.delete(await entryId(kind, runId));
  }

  /** Newest first. */
  async list(filter: UnfinishedFilter, options: PageOptions): Promise<Page<UnfinishedRun>> {
    const page = await this.#places.unfinished.list({ ...paging(options), ...filterOf(filter) });
    return { ...page, items: page.items.map(readEntry) };
  }

  /** Removes the entries of a session. */
  async clear(kind: ConversationKind, sessionId: string): Promise<void> {
    const list = (page: PageOptions) => this.#places.unfinished.list({ ...page, ...filterOf({ kind, sessionId }) });
    // Collects them first, because removing while paging would skip entries.
    const ids: string[] = [];
    for await (const { id } of allItems(list, { limit: 1_000 })) ids.push(id);
    for (const id of ids) await this.#places.unfinished.delete(id);
  }
}

/** A digest, because an id of a run may be as long as that of a record. */
function entryId(kind: ConversationKind, runId: string): Promise<string> {
  return sha256(`${kind}:${runId}`);
}

function readEntry({ metadata }: MemoryRecord): UnfinishedRun {
  return metadata as unknown as UnfinishedRun;
}

function filterOf({ kind, sessionId }: UnfinishedFilter) {
  const filter = { ...(kind === undefined ? {} : { kind }), ...(sessionId === undefined ? {} : { sessionId }) };
  return Object.keys(filter).length === 0 ? {} : { filter };
}
