import { findAccountNumbers } from './account-numbers.ts';
import { findCommandSecrets } from './command-secrets.ts';
import { findKeyFiles } from './key-files.ts';
import { findNamedValues } from './named-values.ts';
import { outsideData } from './payloads.ts';
import { findPercentEncoded } from './percent-encoded.ts';
import { findPhrases } from './phrases.ts';
import type { Range } from './range.ts';
import { findTokens } from './tokens.ts';
import { findUrlSecrets } from './url-secrets.ts';
import { findWrappedSecrets } from './wrapped-secrets.ts';

/**
 * The secrets in a text, sorted and without overlaps. Each finder takes time linear in the text.
 *
 * @param depth - How many encodings of others the text was in. Hostile text may have any number.
 */
export function findSecrets(text: string, depth = 0): Range[] {
  const inner = (decoded: string) => findSecrets(decoded, depth + 1);
  const encoded = depth < MAX_DEPTH ? [...findWrappedSecrets(text, inner), ...findPercentEncoded(text, inner)] : [];
  const allRanges = [...FINDERS.flatMap((find) => find(text)), ...encoded].sort(([a], [b]) => a - b);
  const ranges: Range[] = [];
  for (const [begin, end] of allRanges) {
    const last = ranges.at(-1);
    if (last !== undefined && begin <= last[1]) ranges[ranges.length - 1] = [last[0], Math.max(last[1], end)];
    else ranges.push([begin, end]);
  }
  return outsideData(text, ranges);
}

const FINDERS = [
  findKeyFiles,
  findTokens,
  findNamedValues,
  findUrlSecrets,
  findCommandSecrets,
  findPhrases,
  findAccountNumbers,
];
const MAX_DEPTH = 3;
