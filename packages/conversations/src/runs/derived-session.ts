import type { JsonObject, Session } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { untilLanded } from './compare-and-set.ts';
import type { RunInput } from './run.ts';
import type { RunStore } from './run-store.ts';
import { historyStart, type SessionRecords, type StoredSession } from './session-records.ts';

/** What a derived session needs. */
export interface DerivedSessionParts<Item extends object> {
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly sessions: SessionRecords;
  /** The session, after an access check. */
  read(): Promise<StoredSession | undefined>;
  items(limit: number | undefined): Promise<Item[]>;
  save(run: RunInput<Item>): Promise<unknown>;
}

/**
 * A plain session over the history of completed runs. Each `addItems` is a run, followed by updates of the summary and the
 * profile if these are on. `popItem` shortens the newest run. Leaves out runs that have not completed.
 */
export class DerivedSession<Item extends object = JsonObject> implements Session<Item> {
  readonly #parts: DerivedSessionParts<Item>;

  constructor(parts: DerivedSessionParts<Item>) {
    this.#parts = parts;
  }

  async getSessionId(): Promise<string> {
    return this.#parts.sessionId;
  }

  async getItems(limit?: number): Promise<Item[]> {
    return this.#parts.items(limit);
  }

  async addItems(items: Item[]): Promise<void> {
    if (encodeItems(items).length > 0) await this.#parts.save({ status: 'completed', items });
  }

  async popItem(): Promise<Item | undefined> {
    return untilLanded(async () => {
      const session = await this.#parts.read();
      if (session === undefined) return undefined;
      const runs = this.#parts.runs.runsOf(this.#parts.sessionId);
      for await (const run of runs.newestCompleted(historyStart(session.body), 1)) {
        const last = run.items.at(-1);
        if (last === undefined) continue;
        const { runId, seq, status, version, createdAt, updatedAt, ...body } = run;
        await runs.put(seq, { runId, status, body: { ...body, items: run.items.slice(0, -1) } }, version);
        return last as Item;
      }
      return undefined;
    });
  }

  /** First hides all items and drops the summary in one step, then removes the completed runs. */
  async clearSession(): Promise<void> {
    const { sessionId, runs, sessions } = this.#parts;
    const session = await this.#parts.read();
    if (session === undefined) return;
    const newest = await runs.runsOf(sessionId).newestSeq();
    await sessions.change(session.kind, sessionId, (known) => {
      if (known === undefined) return undefined;
      const { summary, completedSince, ...body } = known.body;
      const progress = { throughSeq: newest, late: [] };
      return { body: { ...body, clearedThrough: newest, summarised: progress, analysed: progress } };
    });
    for await (const page of runs.runsOf(sessionId).pages()) {
      // Read after the page: runs that completed in between were noted before that.
      const { since } = historyStart((await this.#parts.read())?.body ?? { metadata: {} });
      for (const { seq, runId, status } of page) {
        if (seq > newest) return;
        if (status === 'completed' && !since.includes(seq)) await this.#remove(seq, runId, newest);
      }
    }
  }

  /** Keeps the newest run, without its items, because its `seq` must not be reused. */
  async #remove(seq: number, runId: string, newest: number): Promise<void> {
    const { sessionId, runs } = this.#parts;
    if (seq < newest) return runs.delete(sessionId, { seq, runId });
    await untilLanded(async () => {
      const run = await runs.runsOf(sessionId).get(seq);
      if (run === undefined) return;
      await runs.runsOf(sessionId).put(seq, { runId, status: run.status, body: { items: [] } }, run.version);
    });
  }
}
