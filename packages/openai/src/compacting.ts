import {
  canonicalJson,
  type DurableSession,
  isMemoryError,
  type JsonObject,
  MemoryError,
  sha256,
  uuidv7,
} from '@keepsake/core';
import { ask } from './call.ts';
import { fromApiItem, toApiItem } from './items.ts';
import type { CompactionClient, Usage } from './openai-client.ts';

/** When and how to compact. */
export interface CompactingOptions<Item extends object = JsonObject> {
  /** An `OpenAI` client. */
  readonly client: CompactionClient;
  /** The model that compacts, and that will read what it made. */
  readonly model: string;
  /** Compacts once so many items came since the last time: a whole number of 1 or more. */
  readonly threshold: number;
  /** Where what was replaced goes: another session, which holds every item there ever was but for the present ones. */
  readonly archive: Pick<DurableSession<Item>, 'applyHistoryTransaction'>;
}

/** A session that compacts itself. The runner of the OpenAI Agents SDK calls `runCompaction` after each turn. */
export interface CompactingSession<Item extends object = JsonObject> extends DurableSession<Item> {
  /**
   * Compacts the history where it is due, or with `force` where there is anything new. Calls at once are one.
   *
   * What is replaced is in the archive before the history is swapped in one atomic step. Items that were added meanwhile
   * stay, after what the history became; where somebody else changed it otherwise, it is left as it is.
   *
   * @returns what it cost, or `null` where nothing was compacted.
   */
  runCompaction(options?: { readonly force?: boolean }): Promise<{ readonly usage: CompactionUsage } | null>;
}

/** Tokens of one compaction, as the OpenAI Agents SDK counts them. */
interface CompactionUsage {
  readonly endpoint: 'responses.compact';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/**
 * A session that compacts its history through the Responses API: messages of the user stay, and one item that only
 * OpenAI's models can read stands for the rest. Works with every session that is a `DurableSession`.
 *
 * Nothing is compacted while items are added: call `runCompaction()` after a turn, as the OpenAI Agents SDK does by itself.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for a session without transactions, and for options that can't be used.
 */
export function compacting<Item extends object = JsonObject>(
  session: DurableSession<Item>,
  options: CompactingOptions<Item>,
): CompactingSession<Item> {
  checkOptions(session, options);
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
    runCompaction({ force = false } = {}) {
      running ??= compact(session, options, force).finally(() => {
        running = undefined;
      });
      return running;
    },
  };
}

/** How often a swap is tried when items keep being added. */
const SWAP_ATTEMPTS = 10;

async function compact<Item extends object>(
  session: DurableSession<Item>,
  { client, model, threshold, archive }: CompactingOptions<Item>,
  force: boolean,
): Promise<{ readonly usage: CompactionUsage } | null> {
  const history = await session.getItems();
  const fresh = sinceLastCompaction(history);
  if (fresh.length < (force ? 1 : threshold) || hasOpenCall(history)) return null;
  const input = history.map((item, index) => toApiItem(item as JsonObject, `items[${index}]`));
  const { output, usage } = await ask({ action: 'Compacting the history' }, (options) =>
    client.responses.compact({ model, input }, options),
  );
  const compacted = output.map(fromApiItem).map(withoutForeignId) as Item[];
  if (compacted.length === 0)
    throw new MemoryError('BACKEND', 'The service compacted the history to nothing. It is kept.');
  await keep(archive, await session.getSessionId(), history, fresh);
  const swapped = await swap(session, history, compacted);
  return swapped ? { usage: usageOf(usage) } : null;
}

/** Messages get new ids there, which no conversation knows. */
function withoutForeignId({ id, ...item }: JsonObject): JsonObject {
  return item.type === 'message' || id === undefined ? item : { id, ...item };
}

/** The items after the newest compaction: those before it are in the archive, or were made by it. */
function sinceLastCompaction<Item extends object>(history: readonly Item[]): readonly Item[] {
  return history.slice(history.findLastIndex((item) => (item as JsonObject).type === 'compaction') + 1);
}

/** Whether a call waits for its result, as for an approval: compaction would part the two. */
function hasOpenCall(history: readonly object[]): boolean {
  const ids = (suffix: string) =>
    (history as JsonObject[]).filter(({ type }) => String(type).endsWith(suffix)).map(({ callId }) => callId);
  const answered = new Set([...ids('_result'), ...ids('_output')]);
  return ids('_call').some((callId) => callId !== undefined && !answered.has(callId));
}

/**
 * Appends items to the archive, each once however often this is tried: an operation id says after which compaction and
 * at which place an item stood, and what it is.
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

/** Puts the compacted items where the history was, before what was added meanwhile. */
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

function checkOptions<Item extends object>(session: DurableSession<Item>, options: CompactingOptions<Item>): void {
  const { client, threshold, archive } = options ?? {};
  check(
    typeof session?.applyHistoryTransaction === 'function' && typeof session.applyHistoryMutations === 'function',
    'compacting needs a session with transactions, such as a FileSession or RedisSession: the swap is to be atomic.',
  );
  check(typeof client?.responses?.compact === 'function', 'client is to be an OpenAI client that has responses.');
  check(typeof options.model === 'string' && options.model !== '', "model is to name a model, such as 'gpt-5-mini'.");
  check(Number.isSafeInteger(threshold) && threshold >= 1, 'threshold is to be a whole number of items, 1 or more.');
  check(
    typeof archive?.applyHistoryTransaction === 'function' && (archive as unknown) !== session,
    'archive is to be another session with transactions, which keeps what is replaced.',
  );
}

function check(isSo: boolean, message: string): void {
  if (!isSo) throw new MemoryError('INVALID_ARGUMENT', message);
}
