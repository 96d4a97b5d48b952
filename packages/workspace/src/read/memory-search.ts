import type { MemoryTool } from '@keepsake/core';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { isBelow } from '../files/workspace-path.ts';
import { searchFiles } from './search-files.ts';
import { textField } from './tool-input.ts';

const MAX_PASSAGES = 12;

/** Finds passages of the index and of skills by keywords. */
export function memorySearch(ledger: Ledger, paths: Paths): MemoryTool {
  const { memoriesDir, memoryFile } = paths.layout;
  return {
    name: 'memory_search',
    description: `Searches ${memoryFile}, what was learnt in earlier runs, by keywords of the task: names, commands, messages of errors. Gives the best passages, which name the files that have more.`,
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'A few keywords.' } },
      required: ['query'],
      additionalProperties: false,
    },
    async execute(input) {
      const query = textField(input, 'query');
      const names = (await ledger.list(memoriesDir)).map((path) => paths.nameOf(path));
      const files = new Map<string, string>();
      for (const name of [memoryFile, ...names.filter((each) => isBelow(each, NAMES.skills))]) {
        const file = await ledger.read(paths.memory(name));
        if (file !== undefined) files.set(name, file.text);
      }
      return { passages: searchFiles(files, query, MAX_PASSAGES).map((passage) => ({ ...passage })) };
    },
  };
}
