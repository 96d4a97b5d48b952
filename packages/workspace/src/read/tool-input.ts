import { type JsonValue, MemoryError } from '@keepsake/core';
import { isRecord } from '../check-fields.ts';

/** A field of a tool's input that is to be a text. */
export function textField(input: JsonValue, name: string): string {
  const value = isRecord(input) ? input[name] : undefined;
  if (typeof value === 'string') return value;
  throw new MemoryError('INVALID_ARGUMENT', `${name} is to be a text.`);
}
