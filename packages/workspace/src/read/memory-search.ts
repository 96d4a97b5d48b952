import type { MemoryTool } from '@keepsake/core';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { isBelow } from '../files/workspace-path.ts';
import { searchFiles } from './search-files.ts';
import { textField } from './tool-input.ts';

const MAX_PASSAGES = 12;
/** Of the summaries of conversations, if the index has enough. */
const MAX_OF_SUMMARIES = 4;

/** Finds passages of the index, of skills and of the summaries of conversations by keywords. */
export function memorySearch(ledger: Ledger, paths: Paths): MemoryTool {
  const { memoriesDir, memoryFile } = paths.layout;
  return {
    name: 'memory_search',
    description: `Searches ${memoryFile}, what was learnt in earlier runs, by keywords of the task: names, commands, messages of errors. Gives the best passages, which name the files that have more, and then those of rollout summaries with their offset for memory_open.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few keywords.' } },
      required: ['query'],
      additionalProperties: false,
    },
    async execute(input) {
      const query = textField(input, 'query');
      const names = (await ledger.list(memoriesDir)).map((path) => paths.nameOf(path));
      const search = async (wanted: readonly string[]) => {
        const files = await ledger.readAll(wanted.map((name) => paths.memory(name)));
        const texts = Array.from(files, ([path, { text }]) => [paths.nameOf(path), text] as const);
        return searchFiles(new Map(texts), query, MAX_PASSAGES);
      };
      const known = await search([memoryFile, ...names.filter((each) => isBelow(each, NAMES.skills))]);
      const told = await search(names.filter((each) => isBelow(each, NAMES.rolloutSummaries)));
      const shown = known.slice(0, MAX_PASSAGES - Math.min(told.length, MAX_OF_SUMMARIES));
      return {
        passages: [
          ...shown.map(({ path, under, text }) => ({ path, under, text })),
          ...told.slice(0, MAX_PASSAGES - shown.length).map((passage) => ({ ...passage })),
        ],
      };
    },
  };
}
