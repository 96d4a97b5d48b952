import { isMemoryError, type JsonObject, MemoryError } from '@keepsake/core';
import { withDeadline } from '@keepsake/core/adapter';
import { saidByUser, saidIn } from '../profile/profile-input.ts';
import type { ProfileOwner, ProfileRecords } from '../profile/profile-records.ts';
import { nextProfile, type ProfileShape } from '../profile/profile-shape.ts';
import type { Profiler } from '../profile/profiler.ts';
import { DEFAULT_MAX_TOKENS } from '../summary/model-summariser.ts';
import type { Summariser } from '../summary/summariser.ts';
import type { ConversationKind } from './kind.ts';
import type { RunRecords } from './run-records.ts';
import type { SessionRecords, StoredSession } from './session-records.ts';
import { NO_PROGRESS, progressAfter, unprocessedRuns } from './unprocessed-runs.ts';

/** The maximum number of catch-up steps per save, each within the limits of the model. */
const STEPS = 4;

/** After this many conflicts with other conversations of a user, the rest waits for the next save. */
const MAX_BEATEN = 20;

/** The deadline for a summary or a profile. */
const DEADLINE_MS = 60_000;

/** A longer summary is refused, because it goes into every prompt. */
const MAX_SUMMARY = 32_000;

/** The runs of a session, up to the saved one. */
export interface Work {
  readonly kind: ConversationKind;
  readonly sessionId: string;
  readonly runs: RunRecords;
  readonly sessions: SessionRecords;
  readonly upTo: number;
}

/** Updates the summary of a session. If that fails, the summary stays unchanged. */
export async function updateSummary(
  { kind, sessionId, runs, sessions, upTo }: Work,
  summariser: Summariser,
  feedToolCallResults: boolean,
): Promise<void> {
  for (let step = 0; step < STEPS; step++) {
    const session = await sessions.get(kind, sessionId);
    if (session === undefined) return;
    const { summary: previous, summarised = NO_PROGRESS } = session.body;
    const work = await unprocessedRuns(runs, summarised, upTo, summariser.maxTokens ?? DEFAULT_MAX_TOKENS);
    if (work.runs.length === 0) return;
    const said = work.runs.flatMap(({ items }) => saidIn(items, feedToolCallResults));
    const summary =
      said.length === 0
        ? previous
        : checkSummary(
            await withDeadline(DEADLINE_MS, undefined, (signal) => summariser.summarise({ previous, said, signal })),
          );
    await sessions.change(kind, sessionId, (known) => {
      const { summary: current, summarised: now = NO_PROGRESS } = known?.body ?? {};
      // Another process was faster, and its summary must not be overwritten. The next step handles the rest.
      if (known === undefined || current !== previous || now.throughSeq !== summarised.throughSeq) return undefined;
      const body = { ...known.body, summarised: progressAfter(now, work) };
      return { body: summary === undefined ? body : { ...body, summary } };
    });
  }
}

/** Updates the profile of the session's owner. If that fails, the profile stays unchanged. */
export async function updateProfile(
  { kind, sessionId, runs, sessions, upTo }: Work,
  {
    profiler,
    shape,
    mode,
  }: { readonly profiler: Profiler; readonly shape: ProfileShape; readonly mode: 'update' | 'replace' },
  profiles: ProfileRecords,
  ownerOf: (session: StoredSession) => ProfileOwner,
): Promise<void> {
  for (let step = 0, beaten = 0; step < STEPS; step++) {
    const session = await sessions.get(kind, sessionId);
    if (session === undefined) return;
    const { analysed = NO_PROGRESS } = session.body;
    const work = await unprocessedRuns(runs, analysed, upTo, profiler.maxTokens ?? DEFAULT_MAX_TOKENS);
    if (work.runs.length === 0) return;
    const said = work.runs.flatMap(({ items }) => saidByUser(items));
    try {
      if (said.length > 0) await learn(said, ownerOf(session));
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT') || ++beaten > MAX_BEATEN) throw error;
      // The facts were learned from an outdated profile. Applied to another, they could undo changes or restore deleted facts.
      step--;
      continue;
    }
    // After the profile: if the process stops in between, the runs are processed again rather than never.
    await sessions.change(kind, sessionId, (known) => {
      const now = known?.body.analysed ?? NO_PROGRESS;
      if (known === undefined || now.throughSeq !== analysed.throughSeq) return undefined;
      return { body: { ...known.body, analysed: progressAfter(now, work) } };
    });
  }

  async function learn(said: readonly string[], owner: ProfileOwner): Promise<void> {
    const profile = await profiles.get(owner);
    const known: JsonObject = profile?.data ?? {};
    const { schema } = shape;
    const learnt = await withDeadline(DEADLINE_MS, undefined, (signal) =>
      profiler.analyse({ known, said, schema, newKeys: shape.newKeys(known), mode, signal }),
    );
    await profiles.put(owner, profile, await nextProfile(shape, mode, known, learnt));
  }
}

function checkSummary(summary: unknown): string {
  if (typeof summary === 'string' && summary.trim() !== '' && summary.length <= MAX_SUMMARY) return summary.trim();
  throw new MemoryError('BACKEND', `The summariser gave no text, or one of more than ${MAX_SUMMARY} characters.`);
}
