import type { JsonObject, JsonValue } from '@keepsake/core';
import { escapeText } from '@keepsake/core';

/** What `prepare` puts before a model. */
type Block = 'SessionSummary' | 'UserProfile' | 'AgentMetadata' | 'SessionMetadata';

/** A block of markup; `''` where there is nothing to say. Whatever the lines say, each stays one line of the block. */
export function block(name: Block, lines: readonly string[]): string {
  const escaped = lines.map(escapeText).filter((line) => line !== '');
  return escaped.length === 0 ? '' : `<${name}>\n${escaped.join('\n')}\n</${name}>`;
}

/** Fields as `- key: value`, a line each, those of objects by their paths; what is empty is left out. */
export function fieldLines(fields: JsonObject, path = ''): string[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const name = `${path}${key}`;
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return fieldLines(value, `${name}.`);
    const text = valueText(value);
    return text === '' ? [] : [`- ${name}: ${text}`];
  });
}

function valueText(value: JsonValue): string {
  if (value === null) return '';
  if (Array.isArray(value)) return value.map(valueText).filter(Boolean).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim();
}

/** Nothing inside of a block has an angle bracket: all that it says was escaped. */
const BLOCK = /<(SessionSummary|UserProfile|AgentMetadata|SessionMetadata)>\r?\n[^<>]*\n<\/\1>/g;

/**
 * Items without the blocks that `prepare` gives, wherever an agent has put them into messages; messages that held
 * nothing else are left out.
 */
export function withoutInjected(items: readonly JsonObject[]): JsonObject[] {
  return items.flatMap((item) => {
    if (typeof item.role !== 'string') return [item];
    // Messages of user interfaces have their text in `parts`.
    const name = item.content === undefined ? 'parts' : 'content';
    const { [name]: given } = item;
    if (given === undefined) return [item];
    const content = contentWithout(given);
    if (content === given) return [item];
    return content === '' || (Array.isArray(content) && content.length === 0) ? [] : [{ ...item, [name]: content }];
  });
}

/** The same content, to the object, where there is nothing in it. */
function contentWithout(content: JsonValue): JsonValue {
  if (typeof content === 'string') return textWithout(content);
  if (!Array.isArray(content)) return content;
  const kept = content.flatMap((part) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part) || typeof part.text !== 'string')
      return [part];
    const text = textWithout(part.text);
    if (text === part.text) return [part];
    return text === '' ? [] : [{ ...part, text }];
  });
  return kept.length === content.length && kept.every((part, place) => part === content[place]) ? content : kept;
}

function textWithout(text: string): string {
  const rest: string[] = [];
  let end = 0;
  for (const found of text.matchAll(BLOCK)) {
    rest.push(text.slice(end, found.index).trim());
    end = found.index + found[0].length;
  }
  if (end === 0) return text;
  // Between what stood before a block and after it, a blank line is enough.
  return [...rest, text.slice(end).trim()].filter((part) => part !== '').join('\n\n');
}
