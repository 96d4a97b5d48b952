import { expect, expectWhole } from '@keepsake/core/adapter';
import type { ListNamespacesOperation, MatchCondition } from '@langchain/langgraph-checkpoint';

/** A step of a namespace that LangGraph can name. */
export function isLabel(segment: string): boolean {
  return !/[.:]/.test(segment);
}

/** Checks an operation and returns the namespaces that it asks for, sorted by their labels. */
export function matchNamespaces({
  matchConditions = [],
  maxDepth = Infinity,
  limit = Infinity,
  offset = 0,
}: Partial<ListNamespacesOperation>): (namespaces: Iterable<readonly string[]>) => string[][] {
  if (maxDepth !== Infinity) expectWhole(maxDepth, '`maxDepth`', 1);
  if (limit !== Infinity) expectWhole(limit, '`limit`', 0);
  expectWhole(offset, '`offset`', 0);
  for (const { matchType } of matchConditions) {
    expect(matchType === 'prefix' || matchType === 'suffix', '`matchType` must be prefix or suffix.');
  }
  return (namespaces) => {
    const found = new Map<string, string[]>();
    for (const namespace of namespaces) {
      if (!matchConditions.every((condition) => matches(condition, namespace))) continue;
      const cut = namespace.slice(0, maxDepth);
      found.set(JSON.stringify(cut), cut);
    }
    return [...found.values()].sort(compare).slice(offset, offset + limit);
  };
}

function matches({ matchType, path }: MatchCondition, namespace: readonly string[]): boolean {
  if (path.length > namespace.length) return false;
  const start = matchType === 'prefix' ? 0 : namespace.length - path.length;
  return path.every((label, index) => label === '*' || label === namespace[start + index]);
}

function compare(a: readonly string[], b: readonly string[]): number {
  const index = a.findIndex((label, at) => label !== b[at]);
  const [one, other] = [a[index], b[index]];
  if (one === undefined || other === undefined) return a.length - b.length;
  return one < other ? -1 : 1;
}
