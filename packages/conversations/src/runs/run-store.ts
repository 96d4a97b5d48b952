import { isMemoryError, type JsonObject, MemoryError, type MemoryRecord } from '@keepsake/core';
import { canonicalJson } from '@keepsake/core/adapter';
import { withoutUndefined } from '@keepsake/internal';
import { untilLanded } from './compare-and-set.ts';
import type { ConversationKind } from './kind.ts';
import type { Places } from './places.ts';
import type { CheckedRun, Run, RunBody } from './run.ts';
import { RunRecords } from './run-records.ts';
import { UnfinishedRuns } from './unfinished-runs.ts';

/** A claimed position of a run. The run exists only if the record of that `seq` names it. */
interface RunPlace {
  readonly sessionId: string;
  readonly seq: number;
}

/**
 * The runs of a kind, by their ids.
 *
 * A new run first claims, under its id, the position after the newest run of its session, and is then created there, which
 * only one run can be. If the position is taken, it claims the next. So a run that is saved twice, by a retry or by two
 * processes, is stored once, and `seq` rises in order of creation, without gaps.
 */
export class RunStore {
  readonly #places: Places;
  readonly #kind: ConversationKind;
  readonly #unfinished: UnfinishedRuns;

  constructor(places: Places, kind: ConversationKind) {
    this.#places = places;
    this.#kind = kind;
    this.#unfinished = new UnfinishedRuns(places);
  }

  runsOf(sessionId: string): RunRecords {
    return new RunRecords(this.#places, this.#kind, sessionId);
  }

  /** A run and its session. */
  async find(runId: string): Promise<{ readonly run: Run; readonly sessionId: string } | undefined> {
    const claim = await this.#ids.get(runId);
    if (claim === undefined) return undefined;
    const { sessionId, seq } = placeOf(claim);
    const run = await runAt(this.runsOf(sessionId), { seq }, runId);
    return run && { run, sessionId };
  }

  /**
   * Stores a run in a session, or replaces it there. A completed run is final: saving the same again changes nothing.
   *
   * @param completesLate - Called before an existing run completes, with its `seq`, because later runs may already be
   *   processed.
   * @throws MemoryError `CONFLICT` for a run of another session, an unexpected version, or another state of a completed run.
   */
  async save(sessionId: string, run: CheckedRun, completesLate: (seq: number) => Promise<void>): Promise<Run> {
    const runs = this.runsOf(sessionId);
    return this.#untilLanded(run, async () => {
      const claim = await this.#ids.get(run.runId);
      const place = claim && placeOf(claim);
      if (place !== undefined && place.sessionId !== sessionId)
        throw new ForGood('This runId belongs to another session.');
      const storedRun = await runAt(runs, place, run.runId);
      if (storedRun !== undefined) return this.#replace(runs, storedRun, run, completesLate);
      if (run.version !== undefined && run.version > 0) throw new ForGood('There is no such run to replace.');
      const seq = (await runs.newestSeq()) + 1;
      // Another process that saves this run may have used the claimed position just before.
      const other = await runAt(runs, place, run.runId);
      if (other !== undefined) return this.#replace(runs, other, run, completesLate);
      if (place?.seq !== seq) await this.#claim(run.runId, { sessionId, seq }, claim?.version ?? 0);
      // First, so that no run is missing from the list, which skips entries without a run.
      if (run.status !== 'completed') await this.#unfinished.add({ kind: this.#kind, sessionId, runId: run.runId });
      return runs.put(seq, run, 0);
    });
  }

  /** Records that someone works on an unfinished run. */
  async noteSign({ sessionId, runId }: { readonly sessionId: string; readonly runId: string }): Promise<void> {
    await this.#unfinished.add({ kind: this.#kind, sessionId, runId });
  }

  /** How long an unfinished run has shown no sign of life, by the clock of the store. In milliseconds. */
  async silenceOf({ runId, updatedAt }: Run): Promise<number> {
    const sign = (await this.#unfinished.lastSign(this.#kind, runId)) ?? updatedAt;
    return (await this.#places.now()) - Math.max(Date.parse(updatedAt), Date.parse(sign));
  }

  /** Removes all runs of a session. Returns how many there were. */
  async clear(sessionId: string): Promise<number> {
    const runs = this.runsOf(sessionId);
    for await (const page of runs.pages()) await Promise.all(page.map(({ runId }) => this.#ids.delete(runId)));
    await this.#unfinished.clear(this.#kind, sessionId);
    return runs.clear();
  }

  /** Removes a run at its position. */
  async delete(sessionId: string, { runId, seq }: Pick<Run, 'runId' | 'seq'>): Promise<void> {
    await this.runsOf(sessionId).delete(seq);
    await this.#ids.delete(runId);
    await this.#unfinished.remove(this.#kind, runId);
  }

  get #ids() {
    return this.#places.runIds(this.#kind);
  }

  async #claim(runId: string, { sessionId, seq }: RunPlace, ifVersion: number): Promise<void> {
    await this.#ids.put({ id: runId, content: 'run', metadata: { sessionId, seq }, index: false }, { ifVersion });
  }

  async #replace(
    runs: RunRecords,
    storedRun: Run,
    run: CheckedRun,
    completesLate: (seq: number) => Promise<void>,
  ): Promise<Run> {
    const body: RunBody = { ...originOf(storedRun), ...run.body };
    if (storedRun.status === 'completed') {
      if (run.status === 'completed' && sameBody(storedRun, body)) return storedRun;
      throw new ForGood('This run has completed and is final.');
    }
    if (run.version !== undefined && run.version !== storedRun.version) {
      throw new ForGood(`The run has version ${storedRun.version}, not ${run.version}. Load it again.`);
    }
    if (run.status !== 'completed') return runs.put(storedRun.seq, { ...run, body }, storedRun.version);
    await completesLate(storedRun.seq);
    const completed = await runs.put(storedRun.seq, { ...run, body }, storedRun.version);
    await this.#unfinished.remove(this.#kind, run.runId);
    return completed;
  }

  /** Retries after a conflict, unless a retry can't succeed. */
  async #untilLanded(run: CheckedRun, attempt: () => Promise<Run>): Promise<Run> {
    const tried = await untilLanded(async () => {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof ForGood) return error;
        if (run.version !== undefined && run.version > 0 && isMemoryError(error, 'CONFLICT'))
          return new ForGood('Another process saved this run in the meantime. Load it again.');
        throw error;
      }
    });
    if (tried instanceof ForGood) throw new MemoryError('CONFLICT', tried.message);
    return tried;
  }
}

/** A conflict that a retry can't resolve. */
class ForGood extends Error {}

/** The run with this id, if it is at the position. */
async function runAt(runs: RunRecords, place: Pick<RunPlace, 'seq'> | undefined, runId: string) {
  const run = place && (await runs.get(place.seq));
  return run?.runId === runId ? run : undefined;
}

function placeOf({ metadata }: MemoryRecord): RunPlace {
  return metadata as unknown as RunPlace;
}

/** The fields that a run keeps if a later save leaves them out. */
function originOf({ userId, agentId, parentRunId, replaces }: Run): Partial<RunBody> {
  return withoutUndefined({ userId, agentId, parentRunId, replaces });
}

function sameBody({ runId, seq, status, version, createdAt, updatedAt, ...fields }: Run, body: RunBody): boolean {
  return canonicalJson(fields, 'run') === canonicalJson(body as unknown as JsonObject, 'run');
}
