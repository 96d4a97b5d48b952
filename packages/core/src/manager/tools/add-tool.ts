import { MemoryError } from '../../common/errors.ts';
import { expect } from '../../common/expect.ts';
import type { MemoryTool } from '../../model/tool.ts';
import type { MemoryStore } from '../../store/memory-store.ts';
import { checkContent } from '../../store/record-input.ts';
import type { MemoryAddOptions, MemoryAddToolConfig } from '../options/manager-options.ts';
import type { ReportFailure } from '../search/report.ts';
import { describeTool, inputSchema } from './tool-description.ts';
import { readFields, readStores } from './tool-input.ts';

const DESCRIPTION =
  'Writes to long-term memory what later conversations need: lasting facts, preferences, decisions. Each entry is a sentence that is understood alone.';

/** The maximum number of entries per call. */
const MAX_ENTRIES = 100;

/**
 * The tool that adds memories to some stores of a manager.
 *
 * @param behind - Tracks background writes until they are done.
 */
export function addTool(
  { name = 'add_memory', description = DESCRIPTION, waitForWrites = true }: MemoryAddToolConfig,
  stores: readonly MemoryStore[],
  add: (content: string, options: MemoryAddOptions) => Promise<unknown>,
  report: ReportFailure,
  behind: Set<Promise<unknown>>,
): MemoryTool {
  const schema = inputSchema(stores, 'entries', {
    entries: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_ENTRIES },
  });
  return {
    name,
    description: describeTool(description, stores),
    inputSchema: schema,
    async execute(input, { signal } = {}) {
      const { entries, stores: names } = readFields(input, schema);
      expect(
        Array.isArray(entries) && entries.length > 0 && entries.length <= MAX_ENTRIES,
        `entries must be an array of 1 to ${MAX_ENTRIES} texts.`,
      );
      const contents = entries.map((entry, index) => checkContent(entry, `entries[${index}]`));
      const { stores: targets, note } = readStores(stores, names);
      if (!waitForWrites) {
        for (const content of contents) {
          for (const storeName of targets) {
            // Without the signal, because the call ends before these writes.
            const write = add(content, { stores: [storeName] })
              .catch((error) => report({ storeName, operation: 'add', error: error.errors?.[0] ?? error, count: 1 }))
              .finally(() => behind.delete(write));
            behind.add(write);
          }
        }
        return { accepted: contents.length, ...note };
      }
      const options = { stores: targets, ...(signal && { signal }) };
      const writes = await Promise.allSettled(contents.map((content) => add(content, options)));
      const problems = writes.flatMap((write, index) =>
        write.status === 'rejected' ? [`entries[${index}]: ${(write.reason as Error).message}`] : [],
      );
      if (problems.length > 0) throw new MemoryError('BACKEND', problems.join('\n'));
      return { stored: contents.length, ...note };
    },
  };
}
