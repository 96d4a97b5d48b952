import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject, refusal, withoutNulls } from './item-codecs.ts';
import { KINDS, type Kind, MESSAGE } from './item-kinds.ts';

/*
 * Items of the OpenAI Agents SDK, which is what sessions hold, as items of the OpenAI API, and back. What neither has is
 * refused when it is written. `providerData` that the API has no field for is left out: it belongs to other providers.
 */

const byAgentsType = new Map(KINDS.map((kind) => [kind.agents, kind]));
const byApiType = new Map(KINDS.map((kind) => [kind.api, kind]));

/** Fields that any item may have. */
const COMMON = ['id', 'type', 'providerData', 'created_by'];

/**
 * An item as the API takes it. It keeps its id only where other items refer to it.
 *
 * @param what - Names the item in errors, such as `items[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` for what the API has no form for.
 */
export function toApiItem(item: JsonObject, what: string): JsonObject {
  const kind = kindOf(item);
  if (kind === undefined) return writeUnknown(item, what);
  const extras = writeExtras(kind, item.providerData);
  const fields = kind.fields.flatMap(([agents, api, codec]) => {
    const value = item[agents];
    if (value === undefined || value === null) return [];
    return [[api, codec === undefined ? value : codec.write(value, `${what}.${agents}`)]];
  });
  const names = [...COMMON, ...kind.fields.map(([agents]) => agents), ...ownOfHosted(kind)];
  const stray = Object.keys(item).find((name) => !names.includes(name));
  if (stray !== undefined) throw refusal(`${what}.${stray}`);
  const id = kind.keepsId && typeof item.id === 'string' ? { id: item.id } : {};
  return { type: kind.api, ...id, ...extras, ...Object.fromEntries(fields) };
}

/** An item of the API as the OpenAI Agents SDK has it. What it doesn't know comes as `unknown`, whole. */
export function fromApiItem(raw: object): JsonObject {
  const item = withoutNulls(raw as JsonObject);
  const kind = byApiType.get(item.type as string);
  const id: JsonObject = item.id === undefined ? {} : { id: item.id };
  if (kind === undefined) return { type: 'unknown', ...id, providerData: item };
  const fields = kind.fields.flatMap(([agents, api, codec]) => {
    const value = item[api];
    return value === undefined ? [] : [[agents, codec === undefined ? value : codec.read(value)]];
  });
  const read: JsonObject = { type: kind.agents, ...id, ...Object.fromEntries(fields), ...readExtras(kind, item) };
  return complete(kind, read);
}

/** What an item says, without what the API adds: ids, states and defaults. Equal items are equal as JSON. */
export function comparable(item: JsonObject): JsonObject {
  try {
    const { id, status, ...said } = toApiItem(item, 'item');
    if (said.type !== 'message') return said;
    return { ...said, content: asBlocks(said.content, said.role) };
  } catch {
    return item;
  }
}

function asBlocks(content: JsonValue | undefined, role: JsonValue | undefined): JsonValue {
  if (typeof content !== 'string') return content ?? [];
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }];
}

function kindOf({ type, role, providerData, name }: JsonObject): Kind | undefined {
  if (type === undefined && typeof role === 'string') return MESSAGE;
  if (type !== 'hosted_tool_call') return byAgentsType.get(type as string);
  const hosted = isObject(providerData) && typeof providerData.type === 'string' ? providerData.type : name;
  const kind = byApiType.get(hosted as string) ?? byApiType.get(`${hosted}_call`);
  return kind?.agents === 'hosted_tool_call' ? kind : undefined;
}

/** Fields that the Agents SDK has of every hosted tool, and the API of none. */
function ownOfHosted(kind: Kind): readonly string[] {
  return kind.agents === 'hosted_tool_call' ? ['name', 'arguments', 'status', 'output', 'caller'] : [];
}

function writeUnknown({ type, providerData }: JsonObject, what: string): JsonObject {
  if (type !== 'unknown' || !isObject(providerData) || typeof providerData.type !== 'string') throw refusal(what);
  const { id, ...rest } = providerData;
  return rest;
}

/** A field may stand in `providerData` by either name. */
function writeExtras({ extras }: Kind, providerData: JsonValue | undefined): JsonObject {
  if (!isObject(providerData)) return {};
  return Object.fromEntries(
    extras.flatMap((name) => {
      const value = providerData[name] ?? providerData[toCamelCase(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function readExtras({ agents, api, extras }: Kind, item: JsonObject): JsonObject {
  const found = extras.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]] as const]));
  if (agents === 'hosted_tool_call') return { name: api, providerData: { type: api, ...Object.fromEntries(found) } };
  return found.length === 0 ? {} : { providerData: Object.fromEntries(found) };
}

/** Fills in what the Agents SDK expects of every such item. */
function complete({ agents }: Kind, item: JsonObject): JsonObject {
  switch (agents) {
    case 'message':
      return item.role === 'user' || item.role === 'assistant' ? withoutState(item) : toSystemMessage(item);
    case 'function_call_result':
      // Written by others, it may come without the name of its function.
      return { ...item, name: item.name ?? item.callId ?? '', status: item.status ?? 'completed' };
    default:
      return item;
  }
}

/** Only messages of the model have a status. */
function withoutState({ status, ...message }: JsonObject): JsonObject {
  return message.role === 'assistant' ? { ...message, status: status ?? 'completed' } : message;
}

/** Instructions are one text in the Agents SDK, which knows no developers. */
function toSystemMessage({ status, content, ...message }: JsonObject): JsonObject {
  const blocks = Array.isArray(content) ? content : [];
  const text = blocks.map((block) => (isObject(block) ? (block.text ?? '') : '')).join('\n');
  return { ...message, role: 'system', content: text };
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
