import type { MemoryTool } from '@keepsake/core';
import { LexicalIndex } from '@keepsake/search';
import { NAMES, type Paths } from '../files/layout.ts';
import type { Ledger } from '../files/ledger.ts';
import { isBelow } from '../files/workspace-path.ts';
import { readBlocks } from '../generate/bullets.ts';
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
      const passages = await search([memoryFile, ...names.filter((each) => isBelow(each, NAMES.skills))]);
      const told = await search(names.filter((each) => isBelow(each, NAMES.rolloutSummaries)));
      const shown = passages.slice(0, MAX_PASSAGES - Math.min(told.length, MAX_OF_SUMMARIES));
      return {
        passages: [
          ...shown.map(({ path, under, text }) => ({ path, under, text })),
          ...told.slice(0, MAX_PASSAGES - shown.length).map((passage) => ({ ...passage })),
        ],
      };
    },
  };
}

/** A search result: its file, its headings and its text. */
interface FoundPassage {
  readonly path: string;
  readonly under: string;
  readonly text: string;
  /** Where the passage begins in the file, in characters. */
  readonly offset: number;
}

const MAX_PASSAGE = 2_000;

/** The passages that match keywords, best first. A bullet also matches by its headings. */
function searchFiles(files: ReadonlyMap<string, string>, query: string, limit: number): FoundPassage[] {
  const index = new LexicalIndex();
  const passages = new Map<number, FoundPassage>();
  for (const [path, text] of files) {
    for (const passage of passagesOf(path, text)) passages.set(index.add(`${passage.under}\n${passage.text}`), passage);
  }
  return index.search(query, { limit }).flatMap(({ document }) => passages.get(document) ?? []);
}

function* passagesOf(path: string, text: string): Generator<FoundPassage> {
  let headings: string[] = [];
  let offset = 0;
  for (const block of readBlocks(text)) {
    const index = text.indexOf(block.text.split('\n', 1)[0] as string, offset);
    offset = index === -1 ? offset : index;
    if (block.kind === 'heading') {
      const level = block.text.indexOf(' ');
      headings = [...headings.slice(0, level - 1), block.text.slice(level).trim()];
    } else {
      yield { path, under: headings.filter(Boolean).join(' › '), text: block.text.slice(0, MAX_PASSAGE), offset };
    }
  }
}
