import { type JsonObject, type JsonValue, type Message, messageText } from '@keepsake/core';
import { isFileField, isObject, isToolPart } from '@keepsake/internal';

/** A statement in a run, or a use of a tool. */
export interface Said {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly text: string;
  /** The name of the speaker, if the message has one, as in a group chat. */
  readonly name?: string;
}

/** The statements of items, in order. Includes the input and output of tools only if `includesTools`. */
export function saidIn(items: readonly JsonObject[], includesTools: boolean): Said[] {
  return items.flatMap((item) => {
    const said = spoken(item);
    return includesTools && isOfTools(item) ? [...said, { role: 'tool' as const, text: toolText(item) }] : said;
  });
}

/** The user's own statements. In a group chat, those of all its people. */
export function saidByUser(items: readonly JsonObject[]): Said[] {
  return items.flatMap(spoken).filter(({ role }) => role === 'user');
}

/** The calls of tools and their results, as JSON. */
export function usesOfTools(items: readonly JsonObject[]): string[] {
  return items.filter(isOfTools).map(toolText);
}

function spoken(item: JsonObject): Said[] {
  const { role, name, content = uiParts(item)?.filter(isUiText) } = item;
  if ((role !== 'user' && role !== 'assistant') || !isContent(content)) return [];
  const text = messageText({ role, content: content as Message['content'] }).trim();
  if (text === '') return [];
  return [{ role, text, ...(typeof name === 'string' && name.trim() !== '' && { name }) }];
}

function isContent(content: JsonValue | undefined): boolean {
  return (
    typeof content === 'string' ||
    (Array.isArray(content) && content.every((part) => typeof part === 'object' && part !== null))
  );
}

function isOfTools(item: JsonObject): boolean {
  return isToolPart(item) || toolBlocks(item).length > 0;
}

/** The uses of tools in an item as JSON. A picture or a file in it is text to no model. */
function toolText(item: JsonObject): string {
  return JSON.stringify(toolParts(item), (key, value) => (isFileField(key, value) ? '[file]' : value));
}

/** The item itself if it is a tool call or result, else its blocks of that kind. */
function toolParts(item: JsonObject): JsonValue {
  return isToolPart(item) ? item : toolBlocks(item);
}

function toolBlocks(item: JsonObject): JsonObject[] {
  const blocks = uiParts(item) ?? item.content;
  return Array.isArray(blocks) ? blocks.filter((block) => isObject<JsonValue>(block)).filter(isToolPart) : [];
}

/*
 * Messages of user interfaces, as the AI SDK has them: their content is in `parts`, and a part holds a tool call together
 * with its result.
 */

/** The parts of such a message; `undefined` for other items. */
function uiParts(item: JsonObject): JsonObject[] | undefined {
  if (typeof item.role !== 'string' || item.content !== undefined || !Array.isArray(item.parts)) return undefined;
  return item.parts.filter((part) => isObject(part));
}

function isUiText(part: JsonObject): boolean {
  return part.type === 'text';
}
