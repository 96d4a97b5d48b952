import { MemoryError } from '../errors.ts';
import type { MemoryStore } from '../memory-store.ts';
import { checkContent } from '../record-input.ts';
import type { MemoryTool } from '../tool.ts';
import type { MemoryAddOptions, MemoryAddToolConfig } from './manager-options.ts';
import type { ReportFailure } from './report.ts';
import { describeTool, inputSchema } from './tool-description.ts';
import { readFields, readStores } from './tool-input.ts';

const DESCRIPTION =
  'Writes to long-term memory what will matter in later conversations: lasting facts, preferences, decisions. ' +
  'Each entry is a sentence that can be understood alone.';

/** So many entries at once are no memories any more. */
const MAX_ENTRIES = 100;

/** The tool that writes to some stores of a manager. */
export function addTool(
  { name = 'add_memory', description = DESCRIPTION, waitForWrites = true }: Omit<MemoryAddToolConfig, 'stores'>,
  stores: readonly MemoryStore[],
  add: (content: string, options: MemoryAddOptions) => Promise<unknown>,
  report: ReportFailure,
): MemoryTool {
  const texts = { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_ENTRIES };
  return {
    name,
    description: describeTool(description, stores),
    inputSchema: inputSchema({ entries: { ...texts, description: 'What to remember.' } }, 'entries', stores),
    async execute(input, { signal } = {}) {
      const { entries, stores: names } = readFields(input, ['entries', 'stores']);
      if (!Array.isArray(entries) || entries.length < 1 || entries.length > MAX_ENTRIES) {
        throw new MemoryError('INVALID_ARGUMENT', `entries is to be an array of 1 to ${MAX_ENTRIES} texts.`);
      }
      const contents = entries.map((entry, index) => checkContent(entry, `entries[${index}]`));
      const { stores: targets, note } = readStores(names, stores);
      if (!waitForWrites) {
        // Not the call's signal: the call is over before they are.
        for (const content of contents) {
          for (const storeName of targets) {
            add(content, { stores: [storeName] }).catch((error) =>
              report({ storeName, operation: 'add', error: error.errors?.[0] ?? error, count: 1 }),
            );
          }
        }
        return { accepted: contents.length, ...note };
      }
      const options = { stores: targets, ...(signal && { signal }) };
      const writes = await Promise.allSettled(contents.map((content) => add(content, options)));
      const failed = writes.flatMap((write, index) =>
        write.status === 'rejected' ? [{ index, error: write.reason }] : [],
      );
      const [first] = failed;
      if (first === undefined) return { stored: contents.length, ...note };
      const places = failed.map(({ index }) => `entries[${index}]`).join(', ');
      throw new MemoryError('BACKEND', `Not written: ${places}. ${(first.error as Error).message}`, {
        cause: first.error,
      });
    },
  };
}
