import { isObject, sha256 } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { copyList, guarded } from '../common/read-values.ts';
import { checkId } from '../common/text.ts';
import { uuidv7 } from '../common/uuid.ts';
import { checkMessage, type Message, messageText } from '../model/message.ts';
import type { AddMessagesContext } from './memory-store.ts';
import { checkContent } from './record-input.ts';
import type { MemoryRecord, RecordInput, RecordStore } from './record-store.ts';

/**
 * The id of a text in {@link RecordStore.add}: the same for the same text. If the records under the first ids are closed, the
 * text is added again under the next, `repeat`.
 */
export async function contentId(content: string, repeat = 0): Promise<string> {
  return `content-${await sha256(JSON.stringify(repeat === 0 ? content : [content, repeat]))}`;
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
    const contextCopy = copyContext(context);
    const utterances = readUtterances(messages, contextCopy);
    const { runId, sequenceNumbers } = contextCopy;
    if (runId !== undefined) return store.putMany(await toRecords(utterances, runId, contextCopy));
    if (sequenceNumbers === undefined) return store.putMany(await toRecords(utterances, uuidv7(), contextCopy));
    // Serialized, because of two runs that begin at once, the second must see the records of the first.
    const added = this.#last.then(() => this.#addToPresentRun(store, utterances, contextCopy));
    this.#last = added.catch(() => undefined);
    return added;
  }

  async #addToPresentRun(
    store: Pick<RecordStore, 'get' | 'putMany'>,
    utterances: readonly Utterance[],
    context: AddMessagesContext,
  ): Promise<MemoryRecord[]> {
    const records = await toRecords(utterances, this.#run, context);
    if (!(await saysSomethingElse(store, records))) return store.putMany(records);
    this.#run = uuidv7();
    return store.putMany(await toRecords(utterances, this.#run, context));
  }
}

interface Utterance {
  readonly role: Message['role'];
  readonly text: string;
  readonly name: string | undefined;
  readonly createdAt: string | undefined;
  readonly sequenceNumber: number;
}

const SEQUENCE_NUMBERS = '`sequenceNumbers` must have one whole number ≥ 0 per message, increasing.';

/** A copy of the context with its list. */
function copyContext(context: AddMessagesContext | undefined): AddMessagesContext {
  return guarded('context', () => {
    const { runId, thread, sequenceNumbers: numbers } = context ?? {};
    return { runId, thread, sequenceNumbers: numbers === undefined ? undefined : copyList(numbers, SEQUENCE_NUMBERS) };
  });
}

function readUtterances(messages: readonly Message[], context: AddMessagesContext): Utterance[] {
  const list = guarded('messages', () => copyList(messages, 'messages must be an array.'));
  checkContext(list.length, context);
  return list.flatMap((message, index) => {
    const what = `messages[${index}]`;
    const { text, ...said } = readMessageText(message, what);
    const sequenceNumber = context.sequenceNumbers?.[index] ?? index;
    return text.trim() === '' ? [] : [{ ...said, text: checkContent(text, what), sequenceNumber }];
  });
}

/** A message with its text. Throws `INVALID_ARGUMENT` for an invalid one. */
export function readMessageText(message: Message, what: string): Omit<Utterance, 'sequenceNumber'> {
  const { role, content, name, createdAt } = checkMessage(message, what);
  const text = guarded(what, () => {
    const isText = typeof content === 'string';
    expect(isText || content.every(isObject), `${what}.content must be a string or an array of blocks.`);
    return messageText({ role, content });
  });
  return { role, text, name: name ?? undefined, createdAt };
}

function checkContext(messageCount: number, { sequenceNumbers, runId, thread }: AddMessagesContext): void {
  if (runId !== undefined) checkId(runId, 'runId');
  if (thread !== undefined) checkId(thread, 'thread');
  if (sequenceNumbers === undefined) {
    expect(
      runId === undefined && thread === undefined,
      '`runId` and `thread` need `sequenceNumbers`, one per message, to tell a retry from new messages.',
    );
    return;
  }
  const rising = sequenceNumbers.every(
    (number, index) => Number.isSafeInteger(number) && number > (sequenceNumbers[index - 1] ?? -1),
  );
  expect(rising && sequenceNumbers.length === messageCount, SEQUENCE_NUMBERS);
}

function toRecords(
  utterances: readonly Utterance[],
  run: string,
  { runId, thread }: AddMessagesContext,
): Promise<RecordInput[]> {
  const conversation = thread ?? runId;
  // Of what the caller has named alone: a run that was made up here is no place that anything comes from.
  const source = { ...(conversation !== undefined && { conversation }), ...(runId !== undefined && { run: runId }) };
  return Promise.all(
    utterances.map(async ({ role, text, name, createdAt, sequenceNumber }) => ({
      id: `message-${await sha256(JSON.stringify([run, sequenceNumber]))}`,
      content: text,
      metadata: { role, ...(name !== undefined && { name }) },
      ...(createdAt !== undefined && { createdAt }),
      turn: { thread: thread ?? run, index: sequenceNumber, speaker: role },
      source: { ...source, speaker: role, kind: 'utterance' as const },
    })),
  );
}

async function saysSomethingElse(store: Pick<RecordStore, 'get'>, records: readonly RecordInput[]): Promise<boolean> {
  for (const { id, content, turn } of records) {
    const storedRecord = await store.get(id as string);
    if (storedRecord === undefined) continue;
    // Another speaker or conversation is something else too: putting it would take the known record out of its own.
    const same = storedRecord.turn?.thread === turn?.thread && storedRecord.turn?.speaker === turn?.speaker;
    if (storedRecord.content !== content || !same) return true;
  }
  return false;
}
