import { LexicalIndex } from '@keepsake/search';
import { readBlocks } from '../generate/bullets.ts';

/** Something that was found: where it stands, below which headings, and what it says. */
export interface FoundPassage {
  readonly path: string;
  readonly under: string;
  readonly text: string;
}

const MAX_PASSAGE = 2_000;

/** The passages of files that fit some keywords, best first. A heading is found with each bullet below it. */
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
  for (const block of readBlocks(text)) {
    if (block.kind === 'heading') {
      const level = block.text.indexOf(' ');
      headings = [...headings.slice(0, level - 1), block.text.slice(level).trim()];
    } else {
      yield { path, under: headings.filter(Boolean).join(' › '), text: block.text.slice(0, MAX_PASSAGE) };
    }
  }
}
