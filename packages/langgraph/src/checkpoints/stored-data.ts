import { isMemoryError, MemoryError } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import type { SerializerProtocol } from '@langchain/langgraph-checkpoint';
import { expectIntact } from './damage.ts';

/** The output of a serializer as JSON: its type, and its bytes as text, or in base64 if they are not UTF-8. */
export type StoredData = readonly [type: string, text: string, encoding?: 'base64'];

/** What LangGraph's serializer writes in place of a value that it can't write. */
const UNWRITTEN = '[unable to serialize, circular reference is too complex to analyze]';

/**
 * @param what - Names the value in errors.
 * @throws MemoryError `INVALID_ARGUMENT` if the serializer can't write the value, with its error as the cause.
 */
export async function storeData(serde: SerializerProtocol, value: unknown, what: string): Promise<StoredData> {
  const [type, bytes] = await dump(serde, value, what);
  const text = decode(bytes);
  if (text === undefined) return [type, toBase64(bytes), 'base64'];
  const isLost = text === JSON.stringify(UNWRITTEN) && value !== UNWRITTEN;
  expect(!isLost, `LangGraph can't write ${what}: it has a bigint, or a getter or toJSON() that throws. Convert it.`);
  return [type, text];
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
  const [type, text, encoding] = data;
  try {
    return await serde.loadsTyped(type, encoding === undefined ? new TextEncoder().encode(text) : fromBase64(text));
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
