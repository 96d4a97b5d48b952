import type { JsonObject, JsonValue } from '@keepsake/core';
import { escapeText, isObject } from '@keepsake/internal';

/** The blocks that `prepare` returns. */
type Block = 'SessionSummary' | 'UserProfile' | 'AgentMetadata' | 'SessionMetadata';

/** A block of markup, or `''` if empty. Each line stays one line of the block, whatever it contains. */
export function block(name: Block, lines: readonly string[]): string {
  const escaped = lines.map(escapeText).filter((line) => line !== '');
  return escaped.length === 0 ? '' : `<${name}>\n${escaped.join('\n')}\n</${name}>`;
}

/** Fields as `- key: value` lines, with paths for nested objects. Leaves out empty values. */
export function fieldLines(fields: JsonObject, path = ''): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const name = `${path}${key}`;
    if (isObject(value)) return fieldLines(value, `${name}.`);
    const text = valueText(value);
    return text === '' ? [] : [`- ${name}: ${text}`];
  });
}

function valueText(value: JsonValue): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}

/** A block contains no angle brackets, because its text was escaped. */
const BLOCK = /<(SessionSummary|UserProfile|AgentMetadata|SessionMetadata)>\r?\n[^<>]*\n<\/\1>/g;

/**
 * Items without the blocks of `prepare`, wherever an agent put them into messages. Leaves out messages with nothing else.
 */
export function withoutInjected(items: readonly JsonObject[]): JsonObject[] {
  return items.flatMap((item) => {
    if (typeof item.role !== 'string') return [item];
    // Messages of user interfaces have their text in `parts`.
    const name = item.content === undefined ? 'parts' : 'content';
    const { [name]: value } = item;
    if (value === undefined) return [item];
    const content = contentWithout(value);
    if (content === value) return [item];
    return content === '' || (Array.isArray(content) && content.length === 0) ? [] : [{ ...item, [name]: content }];
  });
}

/** Returns the same object if there is no block in it. */
function contentWithout(content: JsonValue): JsonValue {
  if (typeof content === 'string') return textWithout(content);
  if (!Array.isArray(content)) return content;
  const kept = content.flatMap((part) => {
    if (!isObject(part) || typeof part.text !== 'string') return [part];
    const text = textWithout(part.text);
    if (text === part.text) return [part];
    return text === '' ? [] : [{ ...part, text }];
  });
  return kept.length === content.length && kept.every((part, place) => part === content[place]) ? content : kept;
}

function textWithout(text: string): string {
  const rest: string[] = [];
  let end = 0;
  for (const match of text.matchAll(BLOCK)) {
    rest.push(text.slice(end, match.index).trim());
    end = match.index + match[0].length;
  }
  if (end === 0) return text;
  // One blank line is enough between the text before and after a block.
  return [...rest, text.slice(end).trim()].filter((part) => part !== '').join('\n\n');
}
