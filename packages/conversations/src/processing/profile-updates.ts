import type { JsonObject } from '@keepsake/core';
import { withDeadline } from '@keepsake/core/adapter';
import { redactJson } from '@keepsake/privacy';
import { saidByUser, usesOfTools } from '../profile/profile-input.ts';
import type { Profile, ProfileOwner, ProfileRecords } from '../profile/profile-records.ts';
import { type NextProfile, nextProfile, type ProfileShape } from '../profile/profile-shape.ts';
import type { ProfileInput, Profiler } from '../profile/profiler.ts';
import type { Run } from '../runs/run.ts';
import type { SessionBody, StoredSession } from '../runs/session.ts';
import { DEFAULT_MAX_TOKENS } from '../summary/model-summariser.ts';
import type { Updates } from './catch-up.ts';
import { DEADLINE_MS, tokensOfTexts } from './model-limits.ts';

/** The part of a prompt that the profile itself takes. */
const SHARE_OF_PROFILE = 0.25;

/** The settings of profiles. */
export interface Profiling {
  readonly profiler: Profiler;
  readonly shape: ProfileShape;
  readonly mode: 'update' | 'replace';
}

/** The profile that an answer is made from. */
interface ProfileState {
  readonly owner: ProfileOwner;
  readonly profile: Profile | undefined;
}

/** Updates the profile of the owner of a session. */
export class ProfileUpdates implements Updates<ProfileState, NextProfile> {
  readonly processor = 'profile';
  readonly progress = 'analysed';
  readonly #profiling: Profiling;
  readonly #profiles: ProfileRecords;
  readonly #ownerOf: (session: StoredSession) => ProfileOwner;
  readonly #toolCalls: boolean;

  constructor(
    profiling: Profiling,
    profiles: ProfileRecords,
    ownerOf: (session: StoredSession) => ProfileOwner,
    toolCalls: boolean,
  ) {
    this.#profiling = profiling;
    this.#profiles = profiles;
    this.#ownerOf = ownerOf;
    this.#toolCalls = toolCalls;
  }

  maxTokens(): number {
    return (this.#profiling.profiler.maxTokens ?? DEFAULT_MAX_TOKENS) * (1 - SHARE_OF_PROFILE);
  }

  tokensOf(run: Run): number {
    const { said, tools } = this.#material([run]);
    return tokensOfTexts([...said.map(({ text }) => text), ...tools]);
  }

  async read(session: StoredSession): Promise<ProfileState> {
    const owner = this.#ownerOf(session);
    return { owner, profile: await this.#profiles.get(owner) };
  }

  async ask(runs: readonly Run[], { profile }: ProfileState): Promise<NextProfile | undefined> {
    const { said, tools } = this.#material(runs);
    if (said.length + tools.length === 0) return undefined;
    const { profiler, shape, mode } = this.#profiling;
    const knownFacts: JsonObject = profile?.data ?? {};
    const { schema } = shape;
    const newKeys = shape.newKeys(knownFacts);
    const learnt = await withDeadline(DEADLINE_MS, undefined, (signal) =>
      profiler.analyse({ known: knownFacts, said, tools, schema, newKeys, mode, signal }),
    );
    return nextProfile(shape, mode, knownFacts, redactJson(learnt));
  }

  /**
   * If the profile has changed or is gone, rejects with `CONFLICT`: the facts were learned from an outdated profile. Applied
   * to another, they could undo changes or restore deleted facts.
   *
   * Comes before the progress: if the process stops in between, the runs are processed again rather than never.
   */
  async store({ data }: NextProfile, { owner, profile }: ProfileState): Promise<void> {
    await this.#profiles.put(owner, profile, data);
  }

  refusalIn({ refusal }: NextProfile): unknown {
    return refusal;
  }

  isOutdated(): boolean {
    return false;
  }

  apply(body: SessionBody): SessionBody {
    return body;
  }

  #material(runs: readonly Run[]): Pick<ProfileInput, 'said' | 'tools'> {
    const items = runs.flatMap((run) => run.items);
    return { said: saidByUser(items), tools: this.#toolCalls ? usesOfTools(items) : [] };
  }
}
