import { isObject, withoutUndefined } from '@keepsake/internal';
import { LIMITS, type TimelineItem } from '../protocol.ts';
import { shownJson, shownText } from '../shown-text.ts';

/** The most that is shown of an item before it is opened. */
const MAX_SHOWN = 4_000;

type Item = Readonly<Record<string, unknown>>;

/**
 * An item of a session or a run in the shape that the page shows. Items have the shapes of many frameworks: those of the
 * OpenAI Agents SDK, Strands, the AI SDK, LangChain and Claude are read; any other is shown as JSON.
 */
export function timelineItem(item: unknown, position: number): TimelineItem {
  if (!isObject(item)) return { position, kind: 'other', content: shownJson(item, MAX_SHOWN) };
  return callItem(item, position) ?? messageItem(item, position) ?? otherItem(item, position);
}

/** The JSON of an item, as a person reads it. */
export function itemJson(item: unknown): string {
  return JSON.stringify(item, undefined, 2) ?? 'null';
}

/** A call of a tool or its result, as an item of its own or as a block of a message. */
function callItem(item: Item, position: number): TimelineItem | undefined {
  const { type, toolUse, toolResult } = item;
  if (isObject(toolUse)) return call(position, toolUse.name, toolUse.toolUseId, toolUse.input);
  if (isObject(toolResult)) return result(position, undefined, toolResult.toolUseId, toolResult.content);
  if (typeof type !== 'string') return undefined;
  if (type === 'tool_use') return call(position, item.name, item.id, item.input);
  if (type === 'tool_result') return result(position, undefined, item.tool_use_id, item.content);
  if (type === 'tool-call') return call(position, item.toolName, item.toolCallId, item.input ?? item.args);
  if (type === 'tool-result') return result(position, item.toolName, item.toolCallId, item.output ?? item.result);
  if (/_call_(?:result|output)$/.test(type)) return result(position, item.name, idOf(item), item.output);
  if (/_call$/.test(type)) return call(position, item.name ?? type, idOf(item), item.arguments ?? item.action ?? item);
  if (type.startsWith('tool-')) return uiCall(item, type, position);
  return undefined;
}

/** A part of a `UIMessage` of the AI SDK, which has the result beside the call. */
function uiCall(item: Item, type: string, position: number): TimelineItem {
  const { toolCallId, input, output } = item;
  return call(position, type.slice('tool-'.length), toolCallId, output === undefined ? input : { input, output });
}

function idOf({ callId, call_id, id }: Item): unknown {
  return callId ?? call_id ?? id;
}

function call(position: number, name: unknown, callId: unknown, input: unknown): TimelineItem {
  return { position, kind: 'toolCall', content: shownJson(input ?? '', MAX_SHOWN), ...named(name, callId) };
}

function result(position: number, name: unknown, callId: unknown, output: unknown): TimelineItem {
  const text = textOf(output) || output;
  return { position, kind: 'toolResult', content: shownJson(text ?? '', MAX_SHOWN), ...named(name, callId) };
}

function named(name: unknown, callId: unknown) {
  return withoutUndefined({ toolName: shortName(name), callId: shortName(callId) });
}

function shortName(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LIMITS.shortText) : undefined;
}

function messageItem(item: Item, position: number): TimelineItem | undefined {
  const role = typeof item.role === 'string' ? item.role.slice(0, 80) : undefined;
  if (role === undefined) return undefined;
  // A message of the AI SDK has `parts`; a message of LangChain and Chat Completions has its calls beside the content.
  const content = item.content ?? item.parts;
  if (role === 'tool' && typeof item.tool_call_id === 'string') {
    return result(position, item.name, item.tool_call_id, content);
  }
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const calls = blocks.flatMap((block) => (isObject(block) ? (callItem(block, position) ?? []) : []));
  const beside = Array.isArray(item.tool_calls) ? item.tool_calls.flatMap((one) => besideCall(one, position)) : [];
  const all = [...calls, ...beside];
  const text = textOf(content);
  // A message without a text that is known is shown as it is.
  const shown = text !== '' || all.length > 0 ? shownText(text, MAX_SHOWN) : shownJson(content ?? '', MAX_SHOWN);
  return { position, kind: 'message', role, content: shown, ...(all.length > 0 && { calls: all }) };
}

function besideCall(one: unknown, position: number): TimelineItem[] {
  if (!isObject(one)) return [];
  const inner = isObject(one.function) ? one.function : one;
  return [call(position, inner.name, one.id, inner.arguments ?? inner.args)];
}

function otherItem(item: Item, position: number): TimelineItem {
  const isReasoning = item.type === 'reasoning' || item.type === 'thinking';
  const text = isReasoning ? textOf(item.content) || textOf(item.summary) || textOf(item.thinking) : '';
  const content = text === '' ? shownJson(item, MAX_SHOWN) : shownText(text, MAX_SHOWN);
  return { position, kind: isReasoning ? 'reasoning' : 'other', content };
}

/** A text, or the texts of blocks, one per line; `''` if there is none. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (isObject(content)) return typeof content.text === 'string' ? content.text : '';
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => (typeof block === 'string' || isObject(block) ? textOf(block) : ''))
    .filter(Boolean)
    .join('\n');
}
