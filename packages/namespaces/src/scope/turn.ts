import { type Message, messageText, recentItems, type Session } from '@keepsake/core';
import { copyData, expect, expectKnownFields, type FieldNames, guarded } from '@keepsake/core/adapter';
import type { TurnInput } from './conversation-preambles.ts';

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
  withPreamble(sessionId: string, input: TurnInput): Promise<Message[]>;
}

/** Runs a turn, see `MemoryScope.turn`. Without `turns`, no turns are stored or loaded. */
export async function runTurn(
  scope: TurnScope,
  turns: number | undefined,
  options: TurnOptions,
  answer: (messages: Message[]) => Promise<Message | string>,
): Promise<Message> {
  const { sessionId, input, signal } = expectKnownFields(options, TURN);
  const asked: Message = guarded('`input`', () =>
    typeof input === 'string' ? { role: 'user', content: input } : copyData(input),
  );
  expect(asked?.role === 'user', '`input` must be a string or a message with the role `user`.');
  const question = messageText(asked);
  const session = turns === undefined ? undefined : scope.session(sessionId);
  const before = session === undefined ? [] : await recentItems(session, { maxTurns: turns as number });
  const reply = await answer(await scope.withPreamble(sessionId, { before, asked, question, signal }));
  const answered: Message = guarded('The answer', () =>
    typeof reply === 'string' ? { role: 'assistant', content: reply } : copyData(reply),
  );
  // An empty answer means that the run failed without an error.
  if (!isEmpty(answered)) await session?.addItems([asked, answered]);
  return answered;
}

function isEmpty(message: Message): boolean {
  const { content } = message;
  const onlyText = typeof content === 'string' || content.every((block) => 'text' in block);
  return onlyText && messageText(message).trim() === '';
}
