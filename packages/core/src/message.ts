import { expect } from './expect.ts';
import type { JsonValue } from './json.ts';

/** Who said a message. */
export type Role = 'user' | 'assistant' | 'system' | 'tool';

/** Text of a message. */
export type TextBlock = { text: string };

/** A model's call of a tool. */
export type ToolUseBlock = { toolUse: { name: string; toolUseId: string; input: JsonValue } };

/** What a tool gave back. */
export type ToolResultBlock = {
  toolResult: { toolUseId: string; status?: 'success' | 'error'; content: unknown[] };
};

/** A part of a message; any other block is an object with a single key that names its kind. */
export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock | object;

/** A message of a conversation. `MessageData` of the Strands SDK is one as it is. */
export interface Message {
  readonly role: Role;
  readonly content: string | readonly ContentBlock[];
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'tool'] satisfies Role[];

/** Throws unless a value has a role and a content of a message. What is in its blocks is not looked at. */
export function checkMessage(message: Message, what: string): Message {
  const { role, content } = message ?? {};
  expect(
    ROLES.includes(role) && (typeof content === 'string' || Array.isArray(content)),
    `${what} is to be { role, content } with a role of ${ROLES.join(', ')}.`,
  );
  return message;
}

/** What a message says: its text blocks, a line each; `''` where it holds none. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(blockText).join('\n');
}

function blockText(block: ContentBlock): string[] {
  return 'text' in block && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];
}
