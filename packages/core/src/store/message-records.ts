import { isObject } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { checkId } from '../common/text.ts';
import { uuidv7 } from '../common/uuid.ts';
import { sha256 } from '../crypto/digest.ts';
import { checkMessage, type Message, messageText, type Role } from '../model/message.ts';
import type { AddMessagesContext } from './memory-store.ts';
import { checkContent } from './record-input.ts';
import type { MemoryRecord, RecordInput, RecordStore } from './record-store.ts';

/** The id of a text in {@link RecordStore.add}: the same for the same text. */
export async function contentId(content: string): Promise<string> {
  return `content-${await sha256(JSON.stringify(content))}`;
}

/**
 * Implements {@link RecordStore.addMessages} for adapters: one record per message with text, with its turn, under an id that
 * a retry gives again.
 *
 * Create one per store instance. If the caller names no run, it tracks the current one: repeated sequence numbers with other
 * messages start a new run.
 */
export class MessageRecorder {
  #run = uuidv7();
  #last: Promise<unknown> = Promise.resolve();

  /** @throws MemoryError `INVALID_ARGUMENT` for invalid messages or an invalid context; nothing is written then. */
  async add(
    store: Pick<RecordStore, 'get' | 'putMany'>,
    messages: readonly Message[],
    context: AddMessagesContext | undefined,
  ): Promise<MemoryRecord[]> {
    const utterances = readUtterances(messages, context);
    const { runId, sequenceNumbers } = context ?? {};
    if (runId !== undefined) return store.putMany(await toRecords(utterances, runId, context));
    if (sequenceNumbers === undefined) return store.putMany(await toRecords(utterances, uuidv7(), context));
    // Serialized, because of two runs that begin at once, the second must see the records of the first.
    const added = this.#last.then(() => this.#addToPresentRun(store, utterances, context));
    this.#last = added.catch(() => undefined);
    return added;
  }

  async #addToPresentRun(
    store: Pick<RecordStore, 'get' | 'putMany'>,
    utterances: readonly Utterance[],
    context: AddMessagesContext | undefined,
  ): Promise<MemoryRecord[]> {
    const records = await toRecords(utterances, this.#run, context);
    if (!(await saysSomethingElse(store, records))) return store.putMany(records);
    this.#run = uuidv7();
    return store.putMany(await toRecords(utterances, this.#run, context));
  }
}

interface Utterance {
  readonly role: Role;
  readonly text: string;
  readonly sequenceNumber: number;
}

function readUtterances(messages: readonly Message[], context: AddMessagesContext | undefined): Utterance[] {
  expect(Array.isArray(messages), 'messages must be an array.');
  checkContext(messages.length, context);
  return (messages as readonly Message[]).flatMap((message, index) => {
    const what = `messages[${index}]`;
    const { role, content } = checkMessage(message, what);
    expect(
      typeof content === 'string' || content.every(isObject),
      `${what}.content must be a string or an array of blocks.`,
    );
    const text = messageText(message);
    const sequenceNumber = context?.sequenceNumbers?.[index] ?? index;
    return text.trim() === '' ? [] : [{ role, text: checkContent(text, what), sequenceNumber }];
  });
}

function checkContext(messageCount: number, context: AddMessagesContext | undefined): void {
  const { sequenceNumbers, runId, thread } = context ?? {};
  if (runId !== undefined) checkId(runId, 'runId');
  if (thread !== undefined) checkId(thread, 'thread');
  if (sequenceNumbers === undefined) {
    expect(
      runId === undefined && thread === undefined,
      '`runId` and `thread` need `sequenceNumbers`, one per message, to tell a retry from new messages.',
    );
    return;
  }
  const rising =
    Array.isArray(sequenceNumbers) &&
    sequenceNumbers.every(
      (number, index) => Number.isSafeInteger(number) && number > (sequenceNumbers[index - 1] ?? -1),
    );
  expect(
    rising && sequenceNumbers.length === messageCount,
    '`sequenceNumbers` must have one whole number ≥ 0 per message, increasing.',
  );
}

function toRecords(
  utterances: readonly Utterance[],
  run: string,
  { runId, thread }: AddMessagesContext = {},
): Promise<RecordInput[]> {
  const conversation = thread ?? runId;
  // Of what the caller has named alone: a run that was made up here is no place that anything comes from.
  const source = { ...(conversation !== undefined && { conversation }), ...(runId !== undefined && { run: runId }) };
  return Promise.all(
    utterances.map(async ({ role, text, sequenceNumber }) => ({
      id: `message-${await sha256(JSON.stringify([run, sequenceNumber]))}`,
      content: text,
      metadata: { role },
      turn: { thread: thread ?? run, index: sequenceNumber, speaker: role },
      source: { ...source, speaker: role, kind: 'utterance' as const },
    })),
  );
}

async function saysSomethingElse(store: Pick<RecordStore, 'get'>, records: readonly RecordInput[]): Promise<boolean> {
  for (const { id, content, turn } of records) {
    const known = await store.get(id as string);
    if (known === undefined) continue;
    // Another speaker or conversation is something else too: putting it would take the known record out of its own.
    const same = known.turn?.thread === turn?.thread && known.turn?.speaker === turn?.speaker;
    if (known.content !== content || !same) return true;
  }
  return false;
}
