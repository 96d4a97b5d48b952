import { findCommandSecrets } from './command-secrets.ts';
import { findKeyFiles } from './key-files.ts';
import { findNamedValues } from './named-values.ts';
import { outsideData } from './payloads.ts';
import type { Range } from './range.ts';
import { findTokens } from './tokens.ts';
import { findUrlSecrets } from './url-secrets.ts';
import { findWrappedSecrets } from './wrapped-secrets.ts';

/** The secrets in a text, sorted and without overlaps. Each finder takes time linear in the text. */
export function findSecrets(text: string): Range[] {
  const found = FINDERS.flatMap((find) => find(text)).sort(([a], [b]) => a - b);
  const ranges: Range[] = [];
  for (const [begin, end] of found) {
    const last = ranges.at(-1);
    if (last !== undefined && begin <= last[1]) ranges[ranges.length - 1] = [last[0], Math.max(last[1], end)];
    else ranges.push([begin, end]);
  }
  return outsideData(text, ranges);
}

const FINDERS: readonly ((text: string) => readonly Range[])[] = [
  findKeyFiles,
  findTokens,
  findNamedValues,
  findUrlSecrets,
  findCommandSecrets,
  (text) => findWrappedSecrets(text, (inner) => findSecrets(inner).length > 0),
];
