import type { JsonObject } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { textOf } from '../../message-text.ts';
import type { Format, UnknownObject } from '../formats/format.ts';
import { functionOf, objectsIn } from '../formats/letta.ts';
import { conversationStart, isMessageLine } from '../formats/messages.ts';
import { blockItems, type ToolNames } from './block-items.ts';
import { callItem, messageItem, resultItem } from './items.ts';
import { sessionId } from './session-id.ts';

/**
 * A conversation of one message, or one item of the OpenAI Agents SDK, per line. Items of the SDK are kept as they are; so a
 * session of the SDK is the same here. Held in memory until the end of the input.
 */
export function messageSessions(): Format {
  const start = conversationStart();
  const names: ToolNames = new Map();
  const items: JsonObject[] = [];
  let isStarted = false;
  return {
    name: 'messages',
    matches: isMessageLine,
    read(value, place) {
      start.add(value, place);
      isStarted = true;
      for (const item of itemsOf(value, names, place)) items.push(item);
      return [];
    },
    skip: start.skip,
    *end() {
      start.end();
      if (isStarted) yield { place: 'the conversation', session: { id: sessionId('messages', start.id()), items } };
    },
  };
}

function itemsOf(value: UnknownObject, names: ToolNames, place: string): JsonObject[] {
  const { role, content, tool_calls, tool_call_id } = value;
  if (typeof value.type === 'string' || isOfSdk(content)) return [value as JsonObject];
  if (role === 'tool' && typeof tool_call_id === 'string') {
    const name = names.get(tool_call_id);
    return name === undefined ? [] : [resultItem(tool_call_id, name, textOf(content))];
  }
  const said = typeof content === 'string' || Array.isArray(content) ? content : '';
  const messages = hasToolBlocks(said)
    ? blockItems(role as string, said, { names, id: place, said: (text) => text })
    : [textOf(said)].filter((text) => text.trim() !== '').map((text) => messageItem(role as string, text));
  const calls = objectsIn(tool_calls).flatMap((call) => {
    const { name, arguments: input } = functionOf(call);
    if (typeof call.id !== 'string' || typeof name !== 'string') return [];
    names.set(call.id, name);
    return [callItem(call.id, name, input)];
  });
  return [...messages, ...calls];
}

/** Whether the blocks of a content are those of the OpenAI Agents SDK. */
function isOfSdk(content: unknown): boolean {
  return objectsIn(content).some(({ type }) => typeof type === 'string' && /^(in|out)put_|^refusal$/.test(type));
}

function hasToolBlocks(content: string | readonly unknown[]): content is readonly unknown[] {
  return (
    typeof content !== 'string' &&
    content.some((block) => isObject(block) && /^tool_/.test(typeof block.type === 'string' ? block.type : ''))
  );
}
