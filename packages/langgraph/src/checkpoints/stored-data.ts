import { isMemoryError, MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { expectIntact } from './damage.ts';
import { escaped, unescaped } from './plain-objects.ts';

/**
 * The output of a serializer as JSON: its type, and its bytes as text, or in base64 if they are not UTF-8. It is marked if it has
 * plain objects that the serializer would take for its own.
 */
export type StoredData = readonly [type: string, text: string, ...marks: ('base64' | 'escaped')[]];

/** What LangGraph's serializer writes in place of a value that it can't write. */
const UNWRITTEN = '[unable to serialize, circular reference is too complex to analyze]';

/**
 * @param what - Names the value in errors.
 * @throws MemoryError `INVALID_ARGUMENT` if the serializer can't write the value, with its error as the cause.
 */
export async function storeData(serde: SerializerProtocol, value: unknown, what: string): Promise<StoredData> {
  const written = escapedUnlessBroken(value);
  const marks = written === value ? [] : ['escaped' as const];
  const [type, bytes] = await dump(serde, written, what);
  const text = decode(bytes);
  if (text === undefined) return [type, toBase64(bytes), 'base64', ...marks];
  const isLost = text === JSON.stringify(UNWRITTEN) && value !== UNWRITTEN;
  expect(!isLost, `LangGraph can't write ${what}: it has a bigint, or a getter or toJSON() that throws. Convert it.`);
  return [type, text, ...marks];
}

/** Objects whose getters throw are left to the serializer. */
function escapedUnlessBroken(value: unknown): unknown {
  try {
    return escaped(value);
  } catch {
    return value;
  }
}

/** `undefined` if the bytes are not UTF-8. */
function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

async function dump(serde: SerializerProtocol, value: unknown, what: string): Promise<[string, Uint8Array]> {
  try {
    return await serde.dumpsTyped(value);
  } catch (cause) {
    if (isMemoryError(cause)) throw cause;
    throw new MemoryError('INVALID_ARGUMENT', `The serializer can't write ${what}. See the cause.`, { cause });
  }
}

/** @throws MemoryError `CORRUPT` if it is damaged. */
export async function loadData(serde: SerializerProtocol, data: StoredData): Promise<unknown> {
  expectIntact(Array.isArray(data) && typeof data[0] === 'string' && typeof data[1] === 'string');
  const [type, text, ...marks] = data;
  try {
    const bytes = marks.includes('base64') ? fromBase64(text) : new TextEncoder().encode(text);
    const value = await serde.loadsTyped(type, bytes);
    return marks.includes('escaped') ? unescaped(value) : value;
  } catch (error) {
    // The errors of JavaScript's own parsers quote the content.
    const isOwn = error instanceof SyntaxError || error instanceof TypeError;
    return expectIntact(false, isOwn ? undefined : error);
  }
}

function toBase64(bytes: Uint8Array): string {
  let binary = '';
  // In pieces, because spreading a long array overflows the stack.
  for (let start = 0; start < bytes.length; start += 4_096) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 4_096));
  }
  return btoa(binary);
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
