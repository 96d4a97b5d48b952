import { MemoryError, type MemoryTool } from '@keepsake/core';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { checkPath, isBelow } from '../files/workspace-path.ts';
import { textField } from './tool-input.ts';

const MAX_CHARACTERS = 40_000;

/** Opens one file of a memory: the index, the summary of a conversation, or a skill. */
export function memoryOpen(ledger: Ledger, paths: Paths): MemoryTool {
  const { memoryFile, summaryFile } = paths.layout;
  return {
    name: 'memory_open',
    description: `Opens a file of the memory of earlier runs: ${memoryFile}, rollout_summaries/… or skills/…, by the path that memory_search has given.`,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Such as rollout_summaries/x_y.md.' } },
      required: ['path'],
      additionalProperties: false,
    },
    async execute(input) {
      const path = textField(input, 'path');
      checkPath(path);
      const isOpen = path === memoryFile || path === summaryFile;
      if (!isOpen && !isBelow(path, NAMES.rolloutSummaries) && !isBelow(path, NAMES.skills)) {
        throw new MemoryError(
          'INVALID_ARGUMENT',
          `Only ${memoryFile}, ${summaryFile} and what lies in rollout_summaries and skills can be opened.`,
        );
      }
      const file = await ledger.read(paths.memory(path));
      if (file === undefined) return { path, found: false };
      const text = file.text.slice(0, MAX_CHARACTERS);
      return {
        path,
        found: true,
        text,
        ...(text.length < file.text.length && { leftOut: file.text.length - text.length }),
      };
    },
  };
}
