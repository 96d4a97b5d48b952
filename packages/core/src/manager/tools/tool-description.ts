import { escapeText } from '@keepsake/internal';
import type { JsonObject } from '../../json/json.ts';
import type { MemoryStore } from '../../store/memory-store.ts';

/** The maximum length of a tool description for some providers, in characters. */
const MAX_LENGTH = 1_024;

/**
 * A description followed by the stores that the model can choose. Store descriptions are shortened to fit 1,024 characters,
 * unless the names alone are longer.
 */
export function describeTool(description: string, stores: readonly MemoryStore[]): string {
  const names = stores.map(({ name }) => `\n- ${escapeText(name)}`);
  const room = (MAX_LENGTH - description.length - names.join('').length) / stores.length - 2;
  const lines = stores.map((store, index) => {
    const about = escapeText(store.description ?? '');
    // Does not cut within an entity.
    const cut = `${about.slice(0, Math.max(0, room - 1)).replace(/&\w*$/, '')}…`;
    return about && room > 1 ? `${names[index]}: ${about.length > room ? cut.toWellFormed() : about}` : names[index];
  });
  return description + lines.join('');
}

/** The JSON Schema of a tool's input: these fields and `stores`, and no others. */
export function inputSchema(stores: readonly MemoryStore[], required: string, properties: JsonObject): JsonObject {
  const names = { type: 'array', items: { type: 'string', enum: stores.map(({ name }) => name) } };
  return {
    type: 'object',
    properties: { ...properties, stores: { ...names, description: 'By default all' } },
    required: [required],
    additionalProperties: false,
  };
}
