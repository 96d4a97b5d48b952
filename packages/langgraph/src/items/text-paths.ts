import { expect } from '@keepsake/core/adapter';
import { readList } from '../arguments/read-argument.ts';

/** Reading a path takes time that grows with the square of its length. */
const MAX_PATH = 1_000;

/** A checked copy of a list of paths. */
export function readPaths(paths: unknown, what: string): readonly string[] {
  return readList(paths, what, (path, at) => {
    expect(typeof path === 'string', `\`${at}\` must be a path, such as 'text' or 'tags[*]'.`);
    expect(path.length <= MAX_PATH, `\`${at}\` must be at most ${MAX_PATH} characters long.`);
    return path;
  });
}

/**
 * The texts of a value at a path: `$` is all of it as JSON, `a.b` a field, `a[0]`, `a[-1]` and `a[*]` items of a list, `*` all
 * items or fields, and `{a,b.c}` several fields.
 */
export function textsAt(value: unknown, path: string): string[] {
  if (path === '' || path === '$') return [JSON.stringify(value)];
  return valuesAt([value], path).flatMap(toTexts);
}

function valuesAt(values: readonly unknown[], path: string): unknown[] {
  const steps = path.match(/\[[^\]]*\]|\{[^}]*\}|[^.[{]+/g) ?? [];
  return steps.reduce<unknown[]>((nodes, step) => nodes.flatMap((value) => take(value, step)), [...values]);
}

function take(value: unknown, step: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  if (step === '*') return Object.values(value);
  if (step.startsWith('{'))
    return step
      .slice(1, -1)
      .split(',')
      .flatMap((path) => valuesAt([value], path.trim()));
  if (!step.startsWith('[')) return Object.hasOwn(value, step) ? [(value as Record<string, unknown>)[step]] : [];
  if (!Array.isArray(value)) return [];
  const index = step.slice(1, -1);
  if (index === '*') return value;
  const item: unknown = value.at(Number.parseInt(index, 10));
  return item === undefined ? [] : [item];
}

function toTexts(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  return [typeof value === 'object' ? JSON.stringify(value) : String(value)];
}
