import { type Check, expect, expectFields, expectWhole } from '@keepsake/core/adapter';
import type { MatchCondition } from '@langchain/langgraph-checkpoint';
import { fieldOf, readList } from '../arguments/read-argument.ts';
import type { List } from './operations.ts';

const CONDITION: Readonly<Record<keyof MatchCondition, Check>> = { matchType: 'anything', path: 'anything' };

/** A step of a namespace that LangGraph can name. */
export function isLabel(segment: string): boolean {
  return !/[.:]/.test(segment);
}

/** Checks an operation and returns the namespaces that it asks for, sorted by their labels. `at` is its path. */
export function matchNamespaces(
  { matchConditions = [], maxDepth = Infinity, limit = Infinity, offset = 0 }: Partial<List>,
  at: string,
): (namespaces: Iterable<readonly string[]>) => string[][] {
  if (maxDepth !== Infinity) expectWhole(maxDepth, `\`${fieldOf(at, 'maxDepth')}\``, 1);
  if (limit !== Infinity) expectWhole(limit, `\`${fieldOf(at, 'limit')}\``, 0);
  expectWhole(offset, `\`${fieldOf(at, 'offset')}\``, 0);
  const conditions = readList(matchConditions, fieldOf(at, 'matchConditions'), readCondition);
  return (namespaces) => {
    const cuts = new Map<string, string[]>();
    for (const namespace of namespaces) {
      if (!conditions.every((condition) => matches(condition, namespace))) continue;
      const cut = namespace.slice(0, maxDepth);
      cuts.set(JSON.stringify(cut), cut);
    }
    return [...cuts.values()].sort(compare).slice(offset, offset + limit);
  };
}

function readCondition(condition: unknown, at: string): MatchCondition {
  const { matchType, path } = expectFields(condition, at, CONDITION) as MatchCondition;
  expect(matchType === 'prefix' || matchType === 'suffix', `\`${at}.matchType\` must be prefix or suffix.`);
  const labels = readList(path, `${at}.path`, (label, where) => {
    expect(typeof label === 'string', `\`${where}\` must be a label, or * for any label.`);
    return label;
  });
  return { matchType, path: labels };
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
