import type { Random } from '@keepsake/testing/fuzz/random';
import { fail, shifting, throwing, throwingProxy } from './strange-values.ts';

/** Values that no JSON has. Functions, because each must be a new one. */
const STRANGE: readonly (() => unknown)[] = [
  () => undefined,
  () => Number.NaN,
  () => Infinity,
  () => 1n,
  () => Symbol('strange'),
  () => fail,
  () => new Map([['a', 1]]),
  () => new Date(Number.NaN),
  () => [undefined],
  () => new Array(3),
  () => ({ toString: fail, toJSON: fail }),
  () => throwingProxy({}),
  () => throwingProxy([]),
];

/** A copy of a value in which one place, at any depth, runs code that throws, changes its answers or is no JSON. */
export function withStrangePlace(random: Random, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random.chance(0.2)) return random.pick(STRANGE)();
  const fields = Object.keys(value);
  const kind = random.whole(6);
  if (kind === 0) return throwingProxy(value);
  // Not the length of a list: LangGraph's serializer computes with it.
  if (kind === 1 && !Array.isArray(value)) return shifting(value, random.pick(STRANGE)());
  if (fields.length === 0) return value;
  const field = random.pick(fields);
  if (kind === 2) return throwing(value, field);
  const inner = withStrangePlace(random, (value as Record<string, unknown>)[field]);
  return Array.isArray(value) ? value.with(Number(field), inner) : { ...value, [field]: inner };
}
