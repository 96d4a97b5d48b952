import { type JsonValue, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/** A string field of a tool's input. */
export function textField(input: JsonValue, name: string): string {
  const value = isObject(input) ? input[name] : undefined;
  if (typeof value === 'string') return value;
  throw new MemoryError('INVALID_ARGUMENT', `${name} must be a text.`);
}
