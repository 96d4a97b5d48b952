import { characterStart } from '@keepsake/internal';
import { expect } from '../../common/expect.ts';
import { checkId } from '../../common/text.ts';
import type { JsonObject } from '../../json/json.ts';
import type { MemoryTool } from '../../model/tool.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import type {
  ListedMemory,
  MemoryForgetOptions,
  MemoryForgetResult,
  MemoryForgetToolConfig,
} from '../options/manager-options.ts';
import { describeTool, inputSchema } from './tool-description.ts';
import { readFields, readStores } from './tool-input.ts';

const DESCRIPTION =
  'Deletes memories from long-term memory for good. Only when the user asks to forget something. Search for the memories first: this takes their ids.';

/** The maximum number of ids per call. */
const MAX_IDS = 50;
/** What is shown of a memory: enough to tell the user what is gone, within the tokens that a result may take. */
const SHOWN_CHARACTERS = 120;

/** The tool that deletes memories by the ids that the search tool returns. */
export function forgetTool(
  { name = 'forget_memory', description = DESCRIPTION }: MemoryForgetToolConfig,
  stores: readonly MemoryStore[],
  forget: (options: MemoryForgetOptions) => Promise<MemoryForgetResult>,
): MemoryTool {
  const schema = inputSchema(stores, 'ids', {
    ids: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_IDS },
  });
  return {
    name,
    description: describeTool(description, stores),
    inputSchema: schema,
    async execute(input, { signal } = {}) {
      const { ids, stores: names } = readFields(input, schema);
      expect(
        Array.isArray(ids) && ids.length > 0 && ids.length <= MAX_IDS,
        `ids must be an array of 1 to ${MAX_IDS} ids of a search.`,
      );
      for (const [index, id] of ids.entries()) checkId(id, `ids[${index}]`);
      const { stores: targets, note } = readStores(stores, names);
      const { forgotten, notFound } = await forget({
        ids: ids as string[],
        stores: targets,
        ...(signal && { signal }),
      });
      return { forgotten: forgotten.map(shown), notFound: [...notFound], ...note };
    },
  };
}

function shown({ id, storeName, content }: ListedMemory): JsonObject {
  const text =
    content.length > SHOWN_CHARACTERS ? `${content.slice(0, characterStart(content, SHOWN_CHARACTERS))}…` : content;
  return { id, storeName, content: text.toWellFormed() };
}
