import { type DurableSession, isMemoryError, type JsonObject, MemoryError, recentItems } from '@keepsake/core';
import { canonicalJson, expect, expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import { openCalls, sha256 } from '@keepsake/internal';
import { ask } from './api/call.ts';
import type { CompactionClient, Usage } from './api/openai-client.ts';
import { fromApiItem, toApiItem } from './sessions/items.ts';

/** Options of {@link compacting}. */
export interface CompactingOptions<Item extends object = JsonObject> {
  /** An `OpenAI` client. */
  readonly client: CompactionClient;
  /** The model that compacts the history, and later reads the result. */
  readonly model: string;
  /** Compacts after this many items since the last compaction: a whole number of 1 or more. */
  readonly threshold: number;
  /**
   * Receives the replaced items: another session, which has the whole conversation except the items since the last
   * compaction.
   */
  readonly archive: Pick<DurableSession<Item>, 'applyHistoryTransaction'>;
}

/** A session that compacts its history. The runner of the OpenAI Agents SDK calls `runCompaction` after each turn. */
export interface CompactingSession<Item extends object = JsonObject> extends DurableSession<Item> {
  /**
   * Compacts the history if the threshold is reached, or with `force` if there is any new item. Concurrent calls share one
   * compaction.
   *
   * Archives the replaced items first, then swaps the history in one atomic step. Items added during the compaction stay
   * after the compacted ones. If the history was changed in any other way, it stays as it is.
   *
   * @returns the token usage, or `null` if nothing was compacted.
   */
  runCompaction(options?: {
    readonly force?: boolean | undefined;
  }): Promise<{ readonly usage: CompactionUsage } | null>;
}

/** The tokens of one compaction, in the form of the OpenAI Agents SDK. */
interface CompactionUsage {
  readonly endpoint: 'responses.compact';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/**
 * Wraps a session to compact its history through the Responses API: user messages stay, and one item that only OpenAI's
 * models can read replaces the rest. Works with every `DurableSession`.
 *
 * `addItems` never compacts: call `runCompaction()` after a turn. The OpenAI Agents SDK does so automatically.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a session without transactions and for invalid options.
 */
export function compacting<Item extends object = JsonObject>(
  session: DurableSession<Item>,
  options: CompactingOptions<Item>,
): CompactingSession<Item> {
  const settings = checkOptions(session, options);
  let running: Promise<{ readonly usage: CompactionUsage } | null> | undefined;
  return {
    getSessionId: () => session.getSessionId(),
    getItems: (limit) => session.getItems(limit),
    addItems: (items) => session.addItems(items),
    popItem: () => session.popItem(),
    clearSession: () => session.clearSession(),
    applyHistoryTransaction: (args) => session.applyHistoryTransaction(args),
    applyHistoryMutations: (args) => session.applyHistoryMutations(args),
    replaceHistoryWithCompaction: (items) => session.replaceHistoryWithCompaction(items),
    async runCompaction(args: { readonly force?: boolean | undefined } = {}) {
      const { force = false } = expectKnownFields(args, RUN_COMPACTION);
      running ??= compact(session, settings, force).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** `force`, and the options of the OpenAI Agents SDK 0.20 for its own compaction, which are ignored. */
const RUN_COMPACTION = { force: true, responseId: true, compactionMode: true, store: true };

const OPTIONS: FieldNames<CompactingOptions> = { client: true, model: true, threshold: true, archive: true };

/** Attempts to swap the history while items keep being added. */
const SWAP_ATTEMPTS = 10;

async function compact<Item extends object>(
  session: DurableSession<Item>,
  { client, model, threshold, archive }: CompactingOptions<Item>,
  force: boolean,
): Promise<{ readonly usage: CompactionUsage } | null> {
  const history = await session.getItems();
  const fresh = sinceLastCompaction(history);
  if (fresh.length < (force ? 1 : threshold) || isUnfinished(history)) return null;
  // Reasoning whose answer was popped would be refused.
  const complete = await recentItems({ getItems: async () => [...history] }, {});
  const input = complete.map((item, index) => toApiItem(item as JsonObject, `items[${index}]`));
  const { output, usage } = await ask({ action: 'Compacting the history' }, (options) =>
    client.responses.compact({ model, input }, options),
  );
  const compacted = output.map(fromApiItem).map(withoutForeignId) as Item[];
  if (compacted.length === 0)
    throw new MemoryError('BACKEND', 'The service returned an empty compaction. The history was kept.');
  await keep(archive, await session.getSessionId(), history, fresh);
  const swapped = await swap(session, history, compacted);
  return swapped ? { usage: usageOf(usage) } : null;
}

/** Compaction gives messages new ids, which no conversation has. */
function withoutForeignId({ id, ...item }: JsonObject): JsonObject {
  return item.type === 'message' || id === undefined ? item : { id, ...item };
}

/**
 * The items after the compaction with which the history begins, after messages of the user. Earlier ones are archived already or
 * come from the compaction. Models can compact on their own, too: what is before such an item is not archived.
 */
function sinceLastCompaction<Item extends object>(history: readonly Item[]): readonly Item[] {
  const items = history as readonly JsonObject[];
  const first = items.findIndex(({ type, role }) => type !== 'message' || role !== 'user');
  return items[first]?.type === 'compaction' ? history.slice(first + 1) : history;
}

/** Whether a call has no result yet, as while it awaits approval, or reasoning no answer: compaction would separate the two. */
function isUnfinished(history: readonly object[]): boolean {
  return (history.at(-1) as JsonObject | undefined)?.type === 'reasoning' || openCalls(history).length > 0;
}

/**
 * Appends items to the archive. Retries don't duplicate them, because the operation id is derived from the last compaction,
 * the position after it and the item.
 */
async function keep<Item extends object>(
  archive: CompactingOptions<Item>['archive'],
  sessionId: string,
  history: readonly Item[],
  fresh: readonly Item[],
): Promise<void> {
  const before = history[history.length - fresh.length - 1];
  for (const [index, item] of fresh.entries()) {
    const place = [sessionId, before ?? null, index, item];
    const operationId = `archive-${await sha256(canonicalJson(place, 'item'))}`;
    await archive.applyHistoryTransaction({ operationId, transaction: { type: 'append_items', items: [item] } });
  }
}

/** Replaces the history with the compacted items, followed by the items added since it was read. */
async function swap<Item extends object>(
  session: DurableSession<Item>,
  history: readonly Item[],
  compacted: readonly Item[],
): Promise<boolean> {
  for (let attempt = 0; attempt < SWAP_ATTEMPTS; attempt++) {
    const present = attempt === 0 ? [...history] : await session.getItems();
    const added = present.slice(history.length);
    if (!sameItems(present.slice(0, history.length), history)) return false;
    const transaction = {
      type: 'replace_suffix' as const,
      expectedSuffix: present,
      replacement: [...compacted, ...added],
    };
    try {
      await session.applyHistoryTransaction({ operationId: uuidv7(), transaction });
      return true;
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT')) throw error;
    }
  }
  return false;
}

function sameItems(a: readonly object[], b: readonly object[]): boolean {
  return canonicalJson(a, 'items') === canonicalJson(b, 'items');
}

function usageOf({ input_tokens, output_tokens }: Usage): CompactionUsage {
  return {
    endpoint: 'responses.compact',
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: input_tokens + output_tokens,
  };
}

/** A checked copy of the options. */
function checkOptions<Item extends object>(
  session: DurableSession<Item>,
  rawOptions: CompactingOptions<Item>,
): CompactingOptions<Item> {
  const options = expectKnownFields(rawOptions, OPTIONS);
  const { client, model, threshold, archive } = options;
  expect(
    typeof session?.applyHistoryTransaction === 'function' && typeof session.applyHistoryMutations === 'function',
    '`session` must support transactions, such as FileSession or RedisSession: the swap must be atomic.',
  );
  expect(typeof client?.responses?.compact === 'function', '`client` must be an OpenAI client with `responses`.');
  expect(typeof model === 'string' && model !== '', "`model` must be the name of a model, such as 'gpt-5-mini'.");
  expect(Number.isSafeInteger(threshold) && threshold >= 1, '`threshold` must be a whole number of 1 or more.');
  expect(
    typeof archive?.applyHistoryTransaction === 'function' && (archive as unknown) !== session,
    '`archive` must be another session with transactions, to keep the replaced items.',
  );
  return options;
}
