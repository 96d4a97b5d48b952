/** A document with its score by words. */
export interface ScoredDocument {
  readonly document: number;
  readonly score: number;
}

/** The bytes of one, as `find_part` in Lua packs it. */
const SIZE = 12;

/** The best documents of a list and what a script found, best first, the newest first of equal ones. */
export function mergeScored(list: readonly ScoredDocument[], found: Buffer, limit: number): ScoredDocument[] {
  return [...list, ...readScored(found)].sort((a, b) => b.score - a.score || b.document - a.document).slice(0, limit);
}

function readScored(bytes: Buffer): ScoredDocument[] {
  return Array.from({ length: bytes.length / SIZE }, (_, n) => ({
    document: bytes.readUInt32BE(n * SIZE),
    score: bytes.readDoubleBE(n * SIZE + 4),
  }));
}
