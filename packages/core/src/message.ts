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

/** What a message says: its text blocks, a line each; `''` where it holds none. */
export function messageText(message: Message): string {
  if (typeof message.content === 'string') return message.content;
  return message.content.flatMap(blockText).join('\n');
}

function blockText(block: ContentBlock): string[] {
  return 'text' in block && typeof block.text === 'string' && block.text !== '' ? [block.text] : [];
}
