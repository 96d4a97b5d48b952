import { isObject, Unanswered, untilAborted } from '@keepsake/internal';
import { type Check, expectFields } from '../common/check-fields.ts';
import { expect } from '../common/expect.ts';
import { guarded, readList } from '../common/read-values.ts';
import { copyData } from '../json/copy-data.ts';
import { checkMessage, type Message, messageText } from '../model/message.ts';
import type { MemoryModel } from '../model/model.ts';
import { throwIfAborted } from '../store/store-options.ts';
import type { Conversation } from './conversation.ts';

/** An answer: its text, a message, the new messages of a tool loop, or a stream of texts. */
export type TurnAnswer = string | Message | readonly Message[] | AsyncIterable<string>;

/** What `turn` resolves to: the answer, or a stream that passes on its texts. */
export type TurnResult<Answer extends TurnAnswer> =
  Answer extends AsyncIterable<string> ? AsyncGenerator<string, void, undefined> : Answer;

/** A turn: what the user said, and how your agent answers. */
export interface TurnOptions<Answer extends TurnAnswer = TurnAnswer> {
  /** The id of the conversation, 1 to 512 characters. Turns with the same id belong together. */
  readonly thread: string;
  /**
   * The input of the model without memory: the history, or only what is new. The messages after the assistant's last one are
   * new, and they are learned from, except for system messages.
   */
  readonly messages: readonly Message[];
  /**
   * Calls your model with the messages, which include what is known. Returns the text of the answer, a message, all new
   * messages (of a tool loop, say), or a stream of texts.
   */
  readonly answer: (messages: Message[], context: TurnContext) => Answer | Promise<Answer>;
  /** Extracts memories if the manager has no model. */
  readonly model?: MemoryModel | undefined;
  /** Aborts the turn, which then rejects with `ABORTED`. Pass it on to your model. */
  readonly signal?: AbortSignal | undefined;
}

/** What `answer` gets beside the messages. */
export interface TurnContext {
  /** To inject memory again, before another model call of a tool loop. */
  readonly conversation: Conversation;
  readonly signal?: AbortSignal;
}

const TURN = {
  thread: 'string',
  messages: 'array',
  answer: 'function',
  model: ['generate'],
  signal: 'anything',
} satisfies Record<keyof TurnOptions, Check>;

/** What the user said in failed turns. It was observed, so asking again must not observe it twice. */
const unanswered = /* @__PURE__ */ new Unanswered<Message>((message) =>
  message.role === 'user' ? messageText(message) : '',
);

/** A checked copy of the options of a turn. Throws `INVALID_ARGUMENT` if they are invalid. */
export function checkTurn<Answer extends TurnAnswer>(options: TurnOptions<Answer>): TurnOptions<Answer> {
  const turn = expectFields(options, '', TURN);
  const { thread, answer } = turn;
  expect(thread !== undefined, '`thread` must be the id of the conversation.');
  const must = '`messages` must be an array with at least one message.';
  const messages = readList(turn.messages, '`messages`', must);
  expect(messages.length > 0, must);
  expect(answer, '`answer` must be a function.');
  return { ...turn, messages: messages.map((message, index) => copyMessage(message, `\`messages[${index}]\``)) };
}

/** See `MemoryManager.turn`. */
export async function runTurn<Answer extends TurnAnswer>(
  conversation: Conversation,
  { messages, answer, signal }: TurnOptions<Answer>,
): Promise<TurnResult<Answer>> {
  const input = await conversation.inject(messages, { signal });
  const said = newMessages(messages);
  // Before the answer, so that a failure or a crash does not lose what the user said. After the search, which must not find
  // it.
  conversation.observe(...unanswered.fresh(conversation, said));
  try {
    throwIfAborted(signal);
    const context = { conversation, ...(signal && { signal }) };
    const call = () => answer(input, context);
    const answered = await (signal ? untilAborted(signal, call) : call());
    if (isStream(answered)) return passOn(answered, conversation, said, signal) as TurnResult<Answer>;
    const reply = toMessages(answered);
    throwIfAborted(signal);
    await complete(conversation, reply);
    return answered as TurnResult<Answer>;
  } catch (error) {
    await fail(conversation, said);
    throwIfAborted(signal);
    throw error;
  }
}

/** Passes on the texts of a stream, and completes the turn at its end. */
async function* passOn(
  stream: AsyncIterable<string>,
  conversation: Conversation,
  said: readonly Message[],
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  let text = '';
  let isComplete = false;
  try {
    for await (const part of stream) {
      expect(typeof part === 'string', 'The stream of `answer` must consist of texts. Map other chunks to their text.');
      text += part;
      yield part;
    }
    // Some streams just end when they are aborted.
    throwIfAborted(signal);
    isComplete = true;
  } catch (error) {
    throwIfAborted(signal);
    throw error;
  } finally {
    // Also if the consumer stops early.
    await (isComplete ? complete(conversation, toMessages(text)) : fail(conversation, said));
  }
}

async function complete(conversation: Conversation, reply: readonly Message[]): Promise<void> {
  conversation.observe(...reply);
  unanswered.answered(conversation);
  // A failure of the outbox is reported, and must not cost the answer.
  await conversation.endTurn().catch(() => {});
}

async function fail(conversation: Conversation, said: readonly Message[]): Promise<void> {
  unanswered.failed(conversation, said);
  await conversation.endTurn({ failed: true }).catch(() => {});
}

/** The messages after the assistant's last one. Instructions are not part of a conversation. */
function newMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(last + 1).filter(({ role }) => role !== 'system');
}

function toMessages(answer: string | Message | readonly Message[]): readonly Message[] {
  if (typeof answer === 'string') return [{ role: 'assistant', content: answer }];
  const what = '`answer` must return a text, messages, or an async iterable of texts. Each message';
  const messages = guarded(what, () => [answer].flat() as readonly Message[]);
  return messages.map((message) => checkMessage(message, what));
}

/** A checked copy of a message, with its other fields. */
function copyMessage(message: Message, what: string): Message {
  return guarded(what, () => {
    const { role, content, ...others } = message ?? {};
    const { name, createdAt } = others;
    return copyData({ ...others, ...checkMessage({ role, content, name, createdAt }, what) });
  });
}

function isStream(answer: TurnAnswer): answer is AsyncIterable<string> {
  return isObject(answer) && typeof (answer as Partial<AsyncIterable<string>>)[Symbol.asyncIterator] === 'function';
}
