import { type JsonObject, type JsonObjectInput, recentItems } from '@keepsake/core';
import { expectKnownFields, type FieldNames, itemLimit } from '@keepsake/core/adapter';
import { withoutToolCalls } from '@keepsake/internal';
import { copyObject, expectCount } from '../expect.ts';
import type { ProfileRecords } from '../profile/profile-records.ts';
import { DerivedHistory } from '../runs/derived-history.ts';
import type { RunStore } from '../runs/run-store.ts';
import { historyStart, type StoredSession } from '../runs/session.ts';
import type { Settings } from '../settings.ts';
import type { Injections, PreparedInputs } from './handle-results.ts';
import { block, fieldLines } from './injected.ts';
import type { SessionAccess } from './session-access.ts';

/** Options of `ConversationHandle.prepare`. */
export interface PrepareOptions {
  /** Added as `<AgentMetadata>`. */
  readonly agentMetadata?: JsonObjectInput | undefined;
  /** The `seq` of a run that another one replaces: the history ends before it. @default The whole history. */
  readonly before?: number | undefined;
}

const PREPARE: FieldNames<PrepareOptions> = { agentMetadata: true, before: true };

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
  async prepare(options: PrepareOptions): Promise<PreparedInputs> {
    const { agentMetadata = {}, before } = expectKnownFields(options, PREPARE);
    expectCount(before, 'before', 1);
    const agent = copyObject(agentMetadata, 'agentMetadata');
    const { loads, toolCalls } = this.#settings;
    const session = await this.#access.read();
    const [messageHistory, injections] = await Promise.all([
      loads.history && session !== undefined ? this.#newest(session, toolCalls, before) : [],
      this.#injections(session, agent),
    ]);
    return { messageHistory, ...injections };
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

  /** The items of the newest turns that the options allow, or all. With a limit, the newest of these. */
  async recentItems(limit: number | undefined): Promise<JsonObject[]> {
    const { lastTurns, lastMessages } = this.#settings;
    if ((lastTurns ?? lastMessages) === undefined) return this.items(limit);
    const count = itemLimit(limit);
    const session = await this.#access.read();
    if (session === undefined || count === 0) return [];
    const items = await this.#newest(session, true);
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

  async #newest(session: StoredSession, withTools: boolean, before?: number): Promise<JsonObject[]> {
    const { lastTurns, lastMessages } = this.#settings;
    // Each turn has at least one message.
    const maxTurns = lastTurns ?? lastMessages;
    const turns = await recentItems(this.#historyOf(session, before), { maxTurns });
    const items = withTools ? turns : withoutToolCalls(turns);
    return lastMessages === undefined ? items : newestMessages(items, lastMessages);
  }

  #historyOf({ sessionId, body }: StoredSession, before?: number): DerivedHistory {
    return new DerivedHistory(this.#runs.runsOf(sessionId), { ...historyStart(body), before });
  }
}

/** The newest turns that have at most this many messages; `[]` if the newest has more, even without its calls. */
async function newestMessages(items: readonly JsonObject[], maxMessages: number): Promise<JsonObject[]> {
  const session = { getItems: async (limit = items.length) => items.slice(Math.max(items.length - limit, 0)) };
  const newest = await recentItems(session, { maxTokens: maxMessages, countTokens: countMessage });
  return [newest, withoutToolCalls(newest)].find((turns) => turns.filter(countMessage).length <= maxMessages) ?? [];
}

/** Reasoning is part of a message in other formats. */
function countMessage(item: object): number {
  return (item as JsonObject).type === 'reasoning' ? 0 : 1;
}
