import type { JsonObject } from '../json.ts';
import type { MemoryStore } from '../memory-store.ts';
import { escapeText } from './escape.ts';

/** What some providers take as the description of a tool, in characters. */
const MAX_LENGTH = 1_024;

/**
 * A description with the stores after it, for the model to choose among. What stores say of themselves is cut so that
 * all has up to 1,024 characters, where the names alone don't take more.
 */
export function describeTool(description: string, stores: readonly MemoryStore[]): string {
  const names = stores.map(({ name }) => `\n- ${escapeText(name)}`);
  const room = (MAX_LENGTH - description.length - names.join('').length) / stores.length - 2;
  const lines = stores.map((store, index) => {
    const about = escapeText(store.description ?? '');
    // Not within an entity.
    const cut = `${about.slice(0, Math.max(0, room - 1)).replace(/&\w*$/, '')}…`;
    return about && room > 1 ? `${names[index]}: ${about.length > room ? cut.toWellFormed() : about}` : names[index];
  });
  return description + lines.join('');
}

/** JSON Schema of a tool's input: these fields, the stores, and no others. */
export function inputSchema(stores: readonly MemoryStore[], required: string, properties: JsonObject): JsonObject {
  const names = { type: 'array', items: { type: 'string', enum: stores.map(({ name }) => name) } };
  return {
    type: 'object',
    properties: { ...properties, stores: { ...names, description: 'By default all' } },
    required: [required],
    additionalProperties: false,
  };
}
