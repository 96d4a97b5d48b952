import { type JsonValue, MemoryError, type MemoryTool } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
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
      properties: {
        path: { type: 'string', description: 'Such as rollout_summaries/x_y.md.' },
        offset: {
          type: 'integer',
          description:
            'The character to begin at: `offset` of a passage, or `nextOffset` of a long file. 0 by default.',
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
    async execute(input) {
      const path = textField(input, 'path');
      const offset = offsetField(input);
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
      const text = file.text.slice(offset, offset + MAX_CHARACTERS);
      const end = offset + text.length;
      const leftOut = file.text.length - end;
      return { path, found: true, text, ...(leftOut > 0 && { leftOut, nextOffset: end }) };
    },
  };
}

/** A model may pass `null` for what it leaves out. */
function offsetField(input: JsonValue): number {
  const offset = (isObject(input) ? input.offset : undefined) ?? 0;
  if (typeof offset === 'number' && Number.isInteger(offset) && offset >= 0) return offset;
  throw new MemoryError('INVALID_ARGUMENT', 'offset must be a whole number ≥ 0.');
}
