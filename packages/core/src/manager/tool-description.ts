import type { JsonObject } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { escapeAttribute, escapeText } from './escape.ts';

/** What some providers take as the description of a tool, in characters. */
const MAX_LENGTH = 1_024;

/**
 * A description with the stores after it, for the model to choose among. Descriptions of stores are cut where all
 * would not go into 1,024 characters; all names are in the schema, whatever their number.
 */
export function describeTool(description: string, stores: readonly MemoryStore[]): string {
  const intro = `${description}\nStores:`;
  const room = Math.floor((MAX_LENGTH - intro.length) / stores.length);
  let text = intro;
  for (const { name, description: about } of stores) {
    const line = `\n- "${escapeAttribute(name)}"${about ? `: ${escapeText(about)}` : ''}`;
    const cut = line.length > room ? `${[...line].slice(0, Math.max(room - 1, 0)).join('')}…` : line;
    if (text.length + cut.length <= Math.max(MAX_LENGTH, intro.length)) text += cut;
  }
  return text;
}

/** JSON Schema of a tool's input: these fields and no others. */
export function inputSchema(properties: JsonObject, required: string, stores: readonly MemoryStore[]): JsonObject {
  const names = {
    type: 'array',
    items: { type: 'string', enum: stores.map(({ name }) => name) },
    description: 'The stores to use, by name. All by default.',
  };
  return {
    type: 'object',
    properties: { ...properties, stores: names },
    required: [required],
    additionalProperties: false,
  };
}
