import { isObject } from '@keepsake/internal';
import { expect } from '../common/expect.ts';
import { copyList, guarded } from '../common/read-values.ts';
import { checkTime } from '../common/time.ts';
import type { JsonValue } from '../json/json.ts';

/** Text of a message. */
export type TextBlock = { text: string };

/** A model's call of a tool. */
export type ToolUseBlock = { toolUse: { name: string; toolUseId: string; input: JsonValue } };

/** The result of a tool call. */
export type ToolResultBlock = {
  toolResult: { toolUseId: string; status?: 'success' | 'error'; content: unknown[] };
};

/** A part of a message; any other block is an object with a single key that names its kind. */
export type ContentBlock = TextBlock | ToolUseBlock | ToolResultBlock | object;

/** A message of a conversation. `MessageData` of the Strands SDK is assignable to it. */
export interface Message {
  /** Who said it. */
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly content: string | readonly ContentBlock[];
  /** The name of the speaker, if several speakers share a role, as in a group chat. */
  readonly name?: string | null | undefined;
  /** When it was said: ISO 8601 with a zone. @default When it is observed. */
  readonly createdAt?: string | undefined;
}

const ROLES: readonly unknown[] = ['user', 'assistant', 'system', 'tool'] satisfies Message['role'][];

/** A copy of a message with its blocks. Throws for invalid fields. Does not check the inside of blocks. */
export function checkMessage(message: Message, what: string): Message {
  return guarded(what, () => {
    const { role, content, name, createdAt } = message ?? {};
    const invalid = `${what} must be { role, content } with a role of ${ROLES.join(', ')}.`;
    expect(ROLES.includes(role), invalid);
    expect(name === undefined || name === null || typeof name === 'string', `${what}.name must be a text.`);
    const at = checkTime(createdAt, `${what}.createdAt`);
    return {
      role,
      content: typeof content === 'string' ? content : copyList(content, invalid),
      ...(name && { name }),
      ...(at !== undefined && { createdAt: at }),
    };
  });
}

/** The text of a message: its text blocks, one per line, or `''`. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(blockText).join('\n');
}

function blockText(block: unknown): string[] {
  const { text } = isObject(block) ? block : {};
  return typeof text === 'string' && text !== '' ? [text] : [];
}
