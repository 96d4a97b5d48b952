import type { JsonObject } from '@keepsake/core';
import { encodeItems } from '@keepsake/core/adapter';
import { untilLanded } from '../runs/compare-and-set.ts';
import type { RunInput } from '../runs/run.ts';
import type { RunStore } from '../runs/run-store.ts';
import { historyStart, withoutUndone } from '../runs/session.ts';
import type { ConversationContext } from './conversation-context.ts';
import type { Injections, SessionWithContext } from './handle-results.ts';
import type { SessionAccess } from './session-access.ts';

/** What a derived session needs. */
export interface DerivedSessionParts<Item extends object> {
  readonly sessionId: string;
  readonly runs: RunStore;
  readonly access: SessionAccess;
  readonly context: ConversationContext;
  save(run: RunInput<Item>): Promise<unknown>;
}

/**
 * A plain session over the history of completed runs. Each `addItems` is a run, followed by updates of the summary and the
 * profile if these are on. `popItem` shortens the newest run. Leaves out runs that have not completed.
 */
export class DerivedSession<Item extends object = JsonObject> implements SessionWithContext<Item> {
  readonly #parts: DerivedSessionParts<Item>;

  constructor(parts: DerivedSessionParts<Item>) {
    this.#parts = parts;
  }

  async getSessionId(): Promise<string> {
    return this.#parts.sessionId;
  }

  async getItems(limit?: number): Promise<Item[]> {
    return (await this.#parts.context.recentItems(limit)) as Item[];
  }

  async getContext(): Promise<Injections> {
    return this.#parts.context.injections();
  }

  async addItems(items: Item[]): Promise<void> {
    const texts = encodeItems(items);
    if (texts.length === 0) return;
    await this.#parts.save({ status: 'completed', items: texts.map((text) => JSON.parse(text) as Item) });
  }

  async popItem(): Promise<Item | undefined> {
    return untilLanded(async () => {
      const session = await this.#parts.access.read();
      if (session === undefined) return undefined;
      const runs = this.#parts.runs.runsOf(this.#parts.sessionId);
      for await (const run of runs.newestCompleted(historyStart(session.body), 1)) {
        const last = run.items.at(-1);
        if (last === undefined) continue;
        const { runId, seq, status, version, createdAt, updatedAt, ...body } = run;
        // Before, in case the process ends in between. Afterwards, because another may have summarised the item meanwhile.
        if (session.body.summary !== undefined) await this.#undo(seq);
        await runs.put(seq, { runId, status, body: { ...body, items: run.items.slice(0, -1) } }, version);
        await this.#undo(seq);
        return last as Item;
      }
      return undefined;
    });
  }

  /** The summary no longer includes the run, and an update that is in progress is discarded. */
  async #undo(seq: number): Promise<void> {
    const { access, sessionId } = this.#parts;
    await access.sessions.change(
      access.key.kind,
      sessionId,
      (storedSession) => storedSession && { body: withoutUndone(storedSession.body, seq) },
    );
  }

  /** First hides all items and drops the summary in one step, then removes the completed runs. */
  async clearSession(): Promise<void> {
    const { sessionId, runs, access } = this.#parts;
    const session = await access.read();
    if (session === undefined) return;
    const newest = await runs.runsOf(sessionId).newestSeq();
    await access.sessions.change(session.kind, sessionId, (storedSession) => {
      if (storedSession === undefined) return undefined;
      const { summary, summaryBefore, completedSince, ...body } = storedSession.body;
      const progress = { throughSeq: newest, late: [] };
      return { body: { ...body, clearedThrough: newest, summarised: progress, analysed: progress } };
    });
    for await (const page of runs.runsOf(sessionId).pages()) {
      // Read after the page: runs that completed in between were noted before that.
      const { since } = historyStart((await access.read())?.body ?? { metadata: {} });
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
