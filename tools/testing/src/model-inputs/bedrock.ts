import type { Fields } from './fields.ts';

/* https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html */

/** A message of the Converse API of Amazon Bedrock. */
export interface ConverseTurn {
  readonly role: string;
  readonly content: readonly Fields[];
}

/** Why the Converse API refuses the messages of a conversation; `undefined` if it accepts them. */
export function bedrockInputFault(messages: readonly ConverseTurn[]): string | undefined {
  if (messages.length > 0 && messages[0]?.role !== 'user') return 'A conversation must start with a user message.';
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}.content`;
    if (content.length === 0) return `The content field in the Message object at messages.${index} is empty.`;
    if (content.some(({ text }) => typeof text === 'string' && text.trim() === ''))
      return `The text field in a ContentBlock object at ${at} is blank.`;
    if (content[0]?.cachePoint) return `${at}.0: A cachePoint block must follow other content.`;
    if (role === messages[index - 1]?.role) return 'A conversation must alternate between user and assistant roles.';
    if (content.at(-1)?.reasoningContent) return `${at}: The final block in an assistant message cannot be thinking.`;
    const fault = resultsFault(callIds(content), resultIds(messages[index + 1]?.content), index + 1);
    if (fault !== undefined) return fault;
  }
  const [result] = resultIds(messages[0]?.content);
  return result && `The toolResult block ${result} at messages.0.content has no toolUse block in the previous turn.`;
}

function resultsFault(calls: readonly string[], results: readonly string[], next: number): string | undefined {
  const at = `at messages.${next}.content`;
  if (new Set(calls).size < calls.length) return `The toolUse blocks before messages.${next} contain duplicate Ids.`;
  const open = calls.filter((id) => !results.includes(id));
  if (open.length > 0) return `Expected toolResult blocks ${at} for the following Ids: ${open.join(', ')}.`;
  if (results.length > calls.length)
    return `The number of toolResult blocks ${at} exceeds the number of toolUse blocks of previous turn.`;
  return undefined;
}

function callIds(content: readonly Fields[]): string[] {
  return content.flatMap(({ toolUse }) => toolUse?.toolUseId ?? []);
}

function resultIds(content: readonly Fields[] = []): string[] {
  return content.flatMap(({ toolResult }) => toolResult?.toolUseId ?? []);
}
