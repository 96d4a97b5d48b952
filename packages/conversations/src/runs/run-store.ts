import { canonicalJson, isMemoryError, type JsonObject, MemoryError, type MemoryRecord } from '@keepsake/core';
import { untilLanded } from './compare-and-set.ts';
import type { ConversationKind } from './kind.ts';
import type { Places } from './places.ts';
import type { CheckedRun, Run, RunBody } from './run.ts';
import { RunRecords } from './run-records.ts';

/** Where a run is, or is about to be: it is there only if the record of that `seq` names it. */
interface RunPlace {
  readonly sessionId: string;
  readonly seq: number;
}

/**
 * The runs of a kind, by their ids.
 *
 * A new run first claims, under its id, the place after the newest run of its session, then is created there, which only
 * one run can be. Whoever finds the place taken claims the next. So a run that is saved twice, by a retry or by two
 * processes, is there once, and `seq` rises in the order in which runs come into being, with no gaps.
 */
export class RunStore {
  readonly #places: Places;
  readonly #kind: ConversationKind;

  constructor(places: Places, kind: ConversationKind) {
    this.#places = places;
    this.#kind = kind;
  }

  runsOf(sessionId: string): RunRecords {
    return new RunRecords(this.#places, this.#kind, sessionId);
  }

  /** A run, and the session that it belongs to. */
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
   * @param completesLate - Called before a known run completes, with its `seq`: later runs may have been made use of.
   * @throws MemoryError `CONFLICT` for a run of another session, another version than was expected, and for another
   *   state of a run that has completed.
   */
  async save(sessionId: string, run: CheckedRun, completesLate: (seq: number) => Promise<void>): Promise<Run> {
    const runs = this.runsOf(sessionId);
    return this.#untilLanded(run, async () => {
      const claim = await this.#ids.get(run.runId);
      const place = claim && placeOf(claim);
      if (place !== undefined && place.sessionId !== sessionId) throw new ForGood('This runId is of another session.');
      const known = await runAt(runs, place, run.runId);
      if (known !== undefined) return this.#replace(runs, known, run, completesLate);
      if (run.version !== undefined && run.version > 0) throw new ForGood('There is no such run to be replaced.');
      const seq = (await runs.newestSeq()) + 1;
      // Whoever else saves this run may have come to the place that is claimed for it, right before that.
      const other = await runAt(runs, place, run.runId);
      if (other !== undefined) return this.#replace(runs, other, run, completesLate);
      if (place?.seq !== seq) await this.#claim(run.runId, { sessionId, seq }, claim?.version ?? 0);
      return runs.put(seq, run, 0);
    });
  }

  /** Removes all runs of a session, and gives how many there were. */
  async clear(sessionId: string): Promise<number> {
    const runs = this.runsOf(sessionId);
    for await (const page of runs.pages()) await Promise.all(page.map(({ runId }) => this.#ids.delete(runId)));
    return runs.clear();
  }

  /** Removes a run at its place. */
  async delete(sessionId: string, { runId, seq }: Pick<Run, 'runId' | 'seq'>): Promise<void> {
    await this.runsOf(sessionId).delete(seq);
    await this.#ids.delete(runId);
  }

  get #ids() {
    return this.#places.runIds(this.#kind);
  }

  async #claim(runId: string, { sessionId, seq }: RunPlace, ifVersion: number): Promise<void> {
    await this.#ids.put({ id: runId, content: 'run', metadata: { sessionId, seq }, index: false }, { ifVersion });
  }

  async #replace(
    runs: RunRecords,
    known: Run,
    run: CheckedRun,
    completesLate: (seq: number) => Promise<void>,
  ): Promise<Run> {
    const body: RunBody = { ...originOf(known), ...run.body };
    if (known.status === 'completed') {
      if (run.status === 'completed' && sameBody(known, body)) return known;
      throw new ForGood('This run has completed, and is final.');
    }
    if (run.version !== undefined && run.version !== known.version) {
      throw new ForGood(`The run is of version ${known.version}, not ${run.version}. Load it again.`);
    }
    if (run.status === 'completed') await completesLate(known.seq);
    return runs.put(known.seq, { ...run, body }, known.version);
  }

  /** Tries again where somebody else was faster, but not where no other try can end otherwise. */
  async #untilLanded(run: CheckedRun, attempt: () => Promise<Run>): Promise<Run> {
    const tried = await untilLanded(async () => {
      try {
        return await attempt();
      } catch (error) {
        if (error instanceof ForGood) return error;
        if (run.version !== undefined && run.version > 0 && isMemoryError(error, 'CONFLICT'))
          return new ForGood('Somebody else has saved this run meanwhile. Load it again.');
        throw error;
      }
    });
    if (tried instanceof ForGood) throw new MemoryError('CONFLICT', tried.message);
    return tried;
  }
}

/** A conflict that a retry would meet again. */
class ForGood extends Error {}

/** The run of an id, where it is at a place. */
async function runAt(runs: RunRecords, place: Pick<RunPlace, 'seq'> | undefined, runId: string) {
  const run = place && (await runs.get(place.seq));
  return run?.runId === runId ? run : undefined;
}

function placeOf({ metadata }: MemoryRecord): RunPlace {
  return metadata as unknown as RunPlace;
}

/** What a run keeps where a later save does not say it. */
function originOf({ userId, agentId, parentRunId }: Run): Partial<RunBody> {
  const origin = { userId, agentId, parentRunId };
  return Object.fromEntries(Object.entries(origin).filter(([, value]) => value !== undefined));
}

function sameBody({ runId, seq, status, version, createdAt, updatedAt, ...known }: Run, body: RunBody): boolean {
  return canonicalJson(known, 'run') === canonicalJson(body as unknown as JsonObject, 'run');
}
