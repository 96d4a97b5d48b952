import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { refusal, withoutNulls } from './item-codecs.ts';
import { KINDS, type Kind, MESSAGE } from './item-kinds.ts';

/*
 * Converts items of the OpenAI Agents SDK, which sessions contain, to items of the OpenAI API, and back. Writing refuses
 * fields that the API does not have, except in `providerData`: unknown fields there belong to other providers and are
 * dropped.
 */

const byAgentsType = new Map(KINDS.map((kind) => [kind.agents, kind]));
const byApiType = new Map(KINDS.map((kind) => [kind.api, kind]));

/** Fields that any item may have. */
const COMMON = ['id', 'type', 'providerData', 'created_by'];

/**
 * Converts an item to the form of the API. It keeps its id only if other items refer to it.
 *
 * @param what - Names the item in errors, such as `items[2]`.
 * @throws MemoryError `INVALID_ARGUMENT` for values that the API has no form for.
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

/**
 * Converts an item of the API to the form of the OpenAI Agents SDK. A kind that the SDK doesn't have is returned whole, as
 * `unknown`.
 */
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

/** An item without the ids, states and defaults that the API adds. Equal items have equal JSON. */
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

/** Fields that the Agents SDK adds to every hosted tool. The API doesn't have them. */
function ownOfHosted(kind: Kind): readonly string[] {
  return kind.agents === 'hosted_tool_call' ? ['name', 'arguments', 'status', 'output', 'caller'] : [];
}

function writeUnknown({ type, providerData }: JsonObject, what: string): JsonObject {
  if (type !== 'unknown' || !isObject(providerData) || typeof providerData.type !== 'string') throw refusal(what);
  // The only kind of result whose `id` is that of its call.
  if (providerData.type === 'local_shell_call_output') return providerData;
  const { id, ...rest } = providerData;
  return rest;
}

/** A field can be in `providerData` by either name. */
function writeExtras({ extras }: Kind, providerData: JsonValue | undefined): JsonObject {
  if (!isObject(providerData)) return {};
  return Object.fromEntries(
    extras.flatMap((name) => {
      const value = providerData[name] ?? providerData[toCamelCase(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function readExtras({ agents, api, fields, extras }: Kind, item: JsonObject): JsonObject {
  const fieldNames = fields.map(([, name]) => name);
  const entries = extras.flatMap((name) =>
    item[name] === undefined || fieldNames.includes(name) ? [] : [[name, item[name]] as const],
  );
  if (agents === 'hosted_tool_call') return { name: api, providerData: { type: api, ...Object.fromEntries(entries) } };
  return entries.length === 0 ? {} : { providerData: Object.fromEntries(entries) };
}

/** Adds the fields that the Agents SDK requires. */
function complete({ agents }: Kind, item: JsonObject): JsonObject {
  switch (agents) {
    case 'message':
      return item.role === 'user' || item.role === 'assistant' ? withoutState(item) : toSystemMessage(item);
    case 'function_call_result':
      // Other clients may write it without the name of the function.
      return { ...item, name: item.name ?? item.callId ?? '', status: item.status ?? 'completed' };
    default:
      return item;
  }
}

/** Only assistant messages have a status. */
function withoutState({ status, ...message }: JsonObject): JsonObject {
  return message.role === 'assistant' ? { ...message, status: status ?? 'completed' } : message;
}

/** In the Agents SDK, instructions are one string, and there is no developer role. */
function toSystemMessage({ status, content, ...message }: JsonObject): JsonObject {
  const blocks = Array.isArray(content) ? content : [];
  const text = blocks.map((block) => (isObject(block) ? (block.text ?? '') : '')).join('\n');
  return { ...message, role: 'system', content: text };
}

function toCamelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
