import { MemoryError } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';

/** Parses stored JSON. Throws `CORRUPT` for anything that is no such body, instead of returning an empty value. */
export function readBody<T>(text: string, isBody: (value: object) => value is T & object): T {
  const body = parseJson(text);
  if (isObject(body) && isBody(body)) return body;
  throw new MemoryError('CORRUPT', 'A record of a conversation is damaged. Another program may have written to it.');
}
