import fc from 'fast-check';
import type { Random } from './random.ts';
import { hostileText, mutateText } from './text.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** JSON texts of values that code trips over which expects another type. Texts, because each must be a new object. */
const HOSTILE_VALUES: readonly string[] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '0.5',
  '1e308',
  '9007199254740993',
  '1e21',
  '""',
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"length":4294967295}',
  '{"then":1}',
  '{"toJSON":1}',
];

const HOSTILE_KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'toJSON',
  'length',
  'then',
  '',
  '0',
  'a.b',
];

/** A value of any JSON type, usually one that the reader does not expect. */
export function hostileJson(random: Random): Json {
  const kind = random.whole(24);
  if (kind < 12) return JSON.parse(random.pick(HOSTILE_VALUES)) as Json;
  if (kind < 17) return hostileText(random);
  if (kind < 22) return random.sample(fc.jsonValue({ maxDepth: 3 })) as Json;
  const count = random.pick([50, 500, 1000]);
  return kind === 22 ? nested(count) : Array.from({ length: count }, () => null);
}

function nested(depth: number): Json {
  let value: Json = [];
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Changes a copy of a JSON value at a few places. `others` are values that a part may come from. */
export function mutateJson<Value>(random: Random, value: Value, others: readonly unknown[] = []): unknown {
  const box = { value: structuredClone(value) as Json };
  const donors = (others.length === 0 ? [value] : others) as readonly Json[];
  for (let changes = 1 + random.whole(3); changes > 0; changes--) change(random, box, donors);
  return box.value;
}

/** A JSON text: usually that of a changed value, otherwise a text that may no longer be JSON. */
export function mutateJsonText(random: Random, values: readonly unknown[], space?: number): string {
  const value = random.pick(values);
  const text = JSON.stringify(random.chance(0.75) ? mutateJson(random, value, values) : value, undefined, space) ?? '';
  return random.chance(0.35) ? mutateText(random, text) : text;
}

interface Slot {
  readonly parent: Record<string, Json>;
  readonly key: string;
}

function change(random: Random, box: { value: Json }, donors: readonly Json[]): void {
  const { parent, key } = random.pick(slotsOf(box));
  const value = parent[key] as Json;
  const kind = random.whole(8);
  if (kind === 0) remove(parent, key);
  else if (kind === 1) write(parent, random.chance(0.5) ? random.pick(HOSTILE_KEYS) : key, structuredClone(value));
  else if (kind === 2) write(parent, hostileText(random), structuredClone(value));
  else if (kind === 3) write(parent, key, partOf(random, random.pick(donors)));
  else if (kind < 6) write(parent, key, changedScalar(random, value));
  else write(parent, key, hostileJson(random));
}

function remove(parent: Record<string, Json>, key: string): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else write(parent, key, null);
  // The box itself must keep its value.
  if (!Array.isArray(parent) && key !== 'value') delete parent[key];
}

/** A copy of a part of a value. */
function partOf(random: Random, value: Json): Json {
  const { parent, key } = random.pick(slotsOf({ value }));
  return structuredClone(parent[key] as Json);
}

function changedScalar(random: Random, value: Json): Json {
  if (typeof value === 'string') return mutateText(random, value);
  if (typeof value !== 'number') return hostileJson(random);
  return random.pick([value + 1, value - 1, -value, value / 2, value * 1e6, 2 ** 53, Number.MAX_VALUE]);
}

/** Sets a field, `__proto__` included, as `JSON.parse` does. */
function write(parent: Record<string, Json>, key: string, value: Json): void {
  if (Array.isArray(parent) && !/^\d+$/.test(key)) parent.push(value);
  else Object.defineProperty(parent, key, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Below this depth, nothing changes: deep values inside of deep values overflow the stack of `structuredClone`, on Node 24
 * from 1,700 levels on.
 */
const MAX_DEPTH = 200;

/** All places of a value that hold another value. */
function slotsOf(box: { value: Json }): Slot[] {
  const slots: Slot[] = [];
  const pending: { readonly parent: Record<string, Json>; readonly depth: number }[] = [{ parent: box, depth: 0 }];
  for (let next = pending.pop(); next !== undefined && slots.length < 5000; next = pending.pop()) {
    const { parent, depth } = next;
    for (const [key, value] of Object.entries(parent)) {
      slots.push({ parent, key });
      const isNested = typeof value === 'object' && value !== null && depth < MAX_DEPTH;
      if (isNested) pending.push({ parent: value as Record<string, Json>, depth: depth + 1 });
    }
  }
  return slots;
}
