import { type Message, messageText, recentItems } from '@keepsake/core';
import { expect } from '../guards/expect.ts';
import type { MemoryScope } from './memory-scope.ts';

/** What is asked, and where. */
export interface TurnOptions {
  readonly sessionId: string;
  /** What the user says. */
  readonly input: Message | string;
  readonly signal?: AbortSignal;
}

/** A turn as {@link MemoryScope.turn} has it; with `turns` missing, none is stored or loaded. */
export async function runTurn(
  scope: MemoryScope,
  turns: number | undefined,
  { sessionId, input, signal }: TurnOptions,
  answer: (messages: Message[]) => Promise<Message | string>,
): Promise<Message> {
  const asked: Message = typeof input === 'string' ? { role: 'user', content: input } : input;
  const question = messageText(asked);
  expect(asked.role === 'user', 'input is to be what the user says: a text, or a message of role user.');
  const session = turns === undefined ? undefined : scope.session<Message>(sessionId);
  const before = session === undefined ? [] : await recentItems(session, { maxTurns: turns as number });
  const known = await scope.preamble({ question, ...(signal && { signal }) });
  const given = await answer([...before, known === undefined ? asked : append(asked, known)]);
  const answered: Message = typeof given === 'string' ? { role: 'assistant', content: given } : given;
  // An empty answer is a run that has failed without saying so.
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
