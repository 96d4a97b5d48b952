import type { JsonObject, Page } from '@keepsake/core';
import { checkId, expect, expectKnownFields, guarded, pageLimit } from '@keepsake/core/adapter';
import { expectCount } from '../expect.ts';
import { LIST_RUNS_OF_SESSION, type ListRunsOptions } from '../list-options.ts';
import { expectStatus, type ListedRun, type Run, toListed } from '../runs/run.ts';
import type { RunStore } from '../runs/run-store.ts';
import { historyStart } from '../runs/session.ts';
import type { SessionAccess } from './session-access.ts';

/** How many runs are read at once to find an item, which is mostly in the newest. */
const SEARCH_PAGE = 5;

/** Finds the runs that a user may see. */
export class RunReader {
  readonly #access: SessionAccess;
  readonly #runs: RunStore;
  readonly #tenant: string | undefined;
  readonly #staleAfterMs: number;

  constructor(access: SessionAccess, runs: RunStore, tenant: string | undefined, staleAfterMs: number) {
    this.#access = access;
    this.#runs = runs;
    this.#tenant = tenant;
    this.#staleAfterMs = staleAfterMs;
  }

  /** See `ConversationHandle.loadRun`. */
  async load(runId: string): Promise<Run | undefined> {
    return (await this.#find(runId))?.run;
  }

  /** See `ConversationHandle.loadResumableRun`. */
  async loadResumable(runId: string): Promise<Run | undefined> {
    const run = await this.load(runId);
    if (run === undefined || run.status === 'completed') return undefined;
    const isLive = run.status === 'running' && (await this.#runs.silenceOf(run)) < this.#staleAfterMs;
    return isLive ? undefined : run;
  }

  /** See `ConversationHandle.listRuns`. */
  async list(options: ListRunsOptions): Promise<Page<ListedRun>> {
    const checkedOptions = expectKnownFields(options, LIST_RUNS_OF_SESSION);
    const { status, sessionId = this.#access.key.sessionId, ...paging } = checkedOptions;
    if (status !== undefined) expectStatus(status);
    pageLimit(paging);
    const session = await this.#access.read(sessionId);
    if (session === undefined) return { items: [] };
    const page = await this.#runs.runsOf(sessionId).list(status, paging);
    return { ...page, items: page.items.map((run) => toListed(run, session, this.#tenant)) };
  }

  /** See `ConversationHandle.findRun`. */
  async findInHistory(matches: (item: JsonObject) => boolean): Promise<Run | undefined> {
    const { sessionId } = this.#access.key;
    const session = await this.#access.read();
    if (session === undefined) return undefined;
    const runs = this.#runs.runsOf(sessionId).newestCompleted(historyStart(session.body), SEARCH_PAGE);
    for await (const run of runs) if (run.items.some(matches)) return run;
    return undefined;
  }

  /** See `ConversationHandle.heartbeat`. */
  async heartbeat(run: { readonly runId: string; readonly version?: number | undefined }): Promise<boolean> {
    expect(typeof run === 'object' && run !== null, 'Pass the run, such as { runId, version }.');
    const [runId, version] = guarded('The run', () => [run.runId, run.version]);
    expectCount(version, 'version', 1);
    const entry = await this.#find(runId);
    if (entry?.run.status !== 'running') return false;
    if (version !== undefined && version !== entry.run.version) return false;
    await this.#runs.noteSign({ sessionId: entry.sessionId, runId });
    return true;
  }

  async #find(runId: string) {
    checkId(runId, 'runId');
    const entry = await this.#runs.find(runId);
    return entry === undefined || (await this.#access.read(entry.sessionId)) === undefined ? undefined : entry;
  }
}
