import { sha256 } from './digest.ts';
import { expect } from './expect.ts';
import { isObject } from './is-object.ts';
import type { AddMessagesContext } from './memory-store.ts';
import { checkMessage, type Message, messageText, type Role } from './message.ts';
import { checkContent } from './record-input.ts';
import type { MemoryRecord, RecordInput, RecordStore } from './record-store.ts';
import { checkId } from './text.ts';
import { uuidv7 } from './uuid.ts';

/** The id that {@link RecordStore.add} gives a text: the same for the same text. */
export async function contentId(content: string): Promise<string> {
  return `content-${await sha256(JSON.stringify(content))}`;
}

/**
 * Does {@link RecordStore.addMessages} for adapters: one record for each message that says something, with its turn,
 * under an id that a retry gives again.
 *
 * Make one a store instance. It knows the present run where the caller names none: sequence numbers that come back
 * with other words mean that a new run has begun.
 */
export class MessageRecorder {
  #run = uuidv7();
  #last: Promise<unknown> = Promise.resolve();

  /** @throws MemoryError `INVALID_ARGUMENT` for messages or a context that can't be used; nothing is written then. */
  async add(
    store: Pick<RecordStore, 'get' | 'putMany'>,
    messages: readonly Message[],
    context: AddMessagesContext | undefined,
  ): Promise<MemoryRecord[]> {
    const utterances = readUtterances(messages, context);
    const { runId, sequenceNumbers, thread } = context ?? {};
    if (runId !== undefined) return store.putMany(await toRecords(utterances, runId, thread));
    if (sequenceNumbers === undefined) return store.putMany(await toRecords(utterances, uuidv7(), undefined));
    // One after the other: of two runs that begin at once, the second must see what the first has written.
    const added = this.#last.then(() => this.#addToPresentRun(store, utterances, thread));
    this.#last = added.catch(() => undefined);
    return added;
  }

  async #addToPresentRun(
    store: Pick<RecordStore, 'get' | 'putMany'>,
    utterances: readonly Utterance[],
    thread: string | undefined,
  ): Promise<MemoryRecord[]> {
    const records = await toRecords(utterances, this.#run, thread);
    if (!(await saysSomethingElse(store, records))) return store.putMany(records);
    this.#run = uuidv7();
    return store.putMany(await toRecords(utterances, this.#run, thread));
  }
}

interface Utterance {
  readonly role: Role;
  readonly text: string;
  readonly sequenceNumber: number;
}

function readUtterances(messages: readonly Message[], context: AddMessagesContext | undefined): Utterance[] {
  expect(Array.isArray(messages), 'messages is to be an array.');
  checkContext(messages.length, context);
  return (messages as readonly Message[]).flatMap((message, index) => {
    const what = `messages[${index}]`;
    const { role, content } = checkMessage(message, what);
    expect(
      typeof content === 'string' || content.every(isObject),
      `${what}.content is to be text, or blocks that are objects.`,
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
      'runId and thread need sequenceNumbers, one a message, to tell a retry from new messages.',
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
    'sequenceNumbers is to hold one whole number of 0 or more for each message, rising.',
  );
}

function toRecords(utterances: readonly Utterance[], run: string, thread: string | undefined): Promise<RecordInput[]> {
  return Promise.all(
    utterances.map(async ({ role, text, sequenceNumber }) => ({
      id: `message-${await sha256(JSON.stringify([run, sequenceNumber]))}`,
      content: text,
      metadata: { role },
      turn: { thread: thread ?? run, index: sequenceNumber, speaker: role },
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
