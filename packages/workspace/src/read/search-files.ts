import { LexicalIndex } from '@keepsake/search';
import { readBlocks } from '../generate/bullets.ts';

/** A search result: its file, its headings and its text. */
export interface FoundPassage {
  readonly path: string;
  readonly under: string;
  readonly text: string;
  /** Where the passage begins in the file, in characters. */
  readonly offset: number;
}

const MAX_PASSAGE = 2_000;

/** The passages that match keywords, best first. A bullet also matches by its headings. */
export function searchFiles(files: ReadonlyMap<string, string>, query: string, limit: number): FoundPassage[] {
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
    const found = text.indexOf(block.text.split('\n', 1)[0] as string, offset);
    offset = found === -1 ? offset : found;
    if (block.kind === 'heading') {
      const level = block.text.indexOf(' ');
      headings = [...headings.slice(0, level - 1), block.text.slice(level).trim()];
    } else {
      yield { path, under: headings.filter(Boolean).join(' › '), text: block.text.slice(0, MAX_PASSAGE), offset };
    }
  }
}
