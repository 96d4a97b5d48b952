import { type Message, messageText, recentItems, type Session } from '@keepsake/core';
import { expect, expectKnownFields, type FieldNames } from '@keepsake/core/adapter';

/** The input of a turn and its session. */
export interface TurnOptions {
  readonly sessionId: string;
  /** The user's message. */
  readonly input: Message | string;
  readonly signal?: AbortSignal | undefined;
}

const TURN: FieldNames<TurnOptions> = { sessionId: true, input: true, signal: true };

/** What a turn needs from its scope. */
export interface TurnScope {
  session(sessionId: string): Session<Message>;
  preamble(options: {
    readonly question: string;
    readonly signal?: AbortSignal | undefined;
  }): Promise<string | undefined>;
}

/** Runs a turn, see `MemoryScope.turn`. Without `turns`, no turns are stored or loaded. */
export async function runTurn(
  scope: TurnScope,
  turns: number | undefined,
  options: TurnOptions,
  answer: (messages: Message[]) => Promise<Message | string>,
): Promise<Message> {
  expectKnownFields(options, TURN);
  const { sessionId, input, signal } = options;
  const asked: Message = typeof input === 'string' ? { role: 'user', content: input } : input;
  const question = messageText(asked);
  expect(asked.role === 'user', '`input` must be a string or a message with the role `user`.');
  const session = turns === undefined ? undefined : scope.session(sessionId);
  const before = session === undefined ? [] : await recentItems(session, { maxTurns: turns as number });
  const preamble = await scope.preamble({ question, ...(signal && { signal }) });
  const given = await answer([...before, preamble === undefined ? asked : append(asked, preamble)]);
  const answered: Message = typeof given === 'string' ? { role: 'assistant', content: given } : given;
  // An empty answer means that the run failed without an error.
  if (!isEmpty(answered)) await session?.addItems([asked, answered]);
  return answered;
}

function append(message: Message, text: string): Message {
  const { content } = message;
  return { ...message, content: typeof content === 'string' ? `${content}\n\n${text}` : [...content, { text }] };
}

function isEmpty(message: Message): boolean {
  const { content } = message;
  const onlyText = typeof content === 'string' || content.every((block) => 'text' in block);
  return onlyText && messageText(message).trim() === '';
}
