import { type JsonObject, type JsonObjectInput, recentItems } from '@keepsake/core';
import { expectKnownFields, itemLimit, withoutToolCalls } from '@keepsake/core/adapter';
import { copyObject } from '../expect.ts';
import type { ProfileRecords } from '../profile/profile-records.ts';
import { DerivedHistory } from '../runs/derived-history.ts';
import type { RunStore } from '../runs/run-store.ts';
import { historyStart, type StoredSession } from '../runs/session.ts';
import type { Settings } from '../settings.ts';
import type { Injections, PreparedInputs } from './handle-results.ts';
import { block, fieldLines } from './injected.ts';
import type { SessionAccess } from './session-access.ts';

/** Reads what a model needs to continue a conversation. */
export class ConversationContext {
  readonly #access: SessionAccess;
  readonly #runs: RunStore;
  readonly #profiles: ProfileRecords;
  readonly #settings: Settings;

  constructor(access: SessionAccess, runs: RunStore, profiles: ProfileRecords, settings: Settings) {
    this.#access = access;
    this.#runs = runs;
    this.#profiles = profiles;
    this.#settings = settings;
  }

  /** See `ConversationHandle.prepare`. */
  async prepare(options: { readonly agentMetadata?: JsonObjectInput | undefined }): Promise<PreparedInputs> {
    const { agentMetadata = {} } = expectKnownFields(options, { agentMetadata: true });
    const agent = copyObject(agentMetadata, 'agentMetadata');
    const { loads } = this.#settings;
    const session = await this.#access.read();
    const [messageHistory, injections] = await Promise.all([
      loads.history && session !== undefined ? this.#lastTurns(session) : [],
      this.#injections(session, agent),
    ]);
    return {
      messageHistory: this.#settings.feedToolCallResults ? messageHistory : withoutToolCalls(messageHistory),
      ...injections,
    };
  }

  /** The injections of `prepare`. */
  async injections(): Promise<Injections> {
    return this.#injections(await this.#access.read(), {});
  }

  /** The whole history, or its newest items. */
  async items(limit: number | undefined): Promise<JsonObject[]> {
    itemLimit(limit);
    const session = await this.#access.read();
    return session === undefined ? [] : this.#historyOf(session).getItems(limit);
  }

  /** The items of the last turns, or of all if their number is not limited. With a limit, the newest of these. */
  async recentItems(limit: number | undefined): Promise<JsonObject[]> {
    if (this.#settings.lastTurns === undefined) return this.items(limit);
    const count = itemLimit(limit);
    const session = await this.#access.read();
    if (session === undefined || count === 0) return [];
    const items = await this.#lastTurns(session);
    return count === undefined ? items : items.slice(-count);
  }

  async #injections(session: StoredSession | undefined, agent: JsonObject): Promise<Injections> {
    const { loads } = this.#settings;
    const profile = loads.profile ? await this.#profiles.get(this.#access.ownerIn(session)) : undefined;
    const { summary, metadata = {} } = session?.body ?? {};
    return {
      contextInjection: loads.summary ? block('SessionSummary', summary?.split('\n') ?? []) : '',
      systemPromptInjection: block('UserProfile', fieldLines(profile?.data ?? {})),
      metadataInjection: [block('AgentMetadata', fieldLines(agent)), block('SessionMetadata', fieldLines(metadata))]
        .filter(Boolean)
        .join('\n'),
    };
  }

  #lastTurns(session: StoredSession): Promise<JsonObject[]> {
    const { lastTurns } = this.#settings;
    return recentItems(this.#historyOf(session), lastTurns === undefined ? {} : { maxTurns: lastTurns });
  }

  #historyOf({ sessionId, body }: StoredSession): DerivedHistory {
    return new DerivedHistory(this.#runs.runsOf(sessionId), historyStart(body));
  }
}
