import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';

/* What to store of the items of a run, from any framework. */

const HIDDEN_ROLES: readonly unknown[] = ['system', 'developer'];
const REASONING_TYPES: readonly unknown[] = [
  'reasoning',
  'thinking',
  'redacted_thinking',
  'reasoning_text',
  'compaction',
];
/** In Strands, the only key of a block is its kind. */
const REASONING_KEYS: readonly string[] = ['reasoning', 'reasoningContent', 'reasoning_content', 'thinking'];
/** Provider-internal data, such as reasoning. */
const PRIVATE_KEYS: readonly string[] = [...REASONING_KEYS, 'encrypted_content', 'encryptedContent', 'providerData'];
const BYTE_KEYS: readonly string[] = [
  'data',
  'bytes',
  'image',
  'audio',
  'file',
  'file_data',
  'fileData',
  'blob',
  'b64_json',
];

const MAX_DEPTH = 100;
const MIN_BASE64 = 128;

/** The items as JSON, without instructions and reasoning, and with the number of bytes instead of binary data. */
export function sanitizeItems(items: string | readonly unknown[]): JsonValue[] {
  if (typeof items === 'string') return [{ role: 'user', content: withoutDataUrls(items) }];
  return items.flatMap((item) => {
    const plain = toPlain(item);
    if (isHidden(plain)) return [];
    if (!isObject(plain) || !Array.isArray(plain.content)) return plain === undefined ? [] : [plain];
    const content = plain.content.filter((block) => !isHidden(block));
    return content.length === 0 && plain.content.length > 0 ? [] : [{ ...plain, content }];
  });
}

/** Any value as JSON, with the number of bytes instead of binary data. */
export function sanitizeValue(value: unknown): JsonValue | undefined {
  return toPlain(value);
}

function isHidden(item: JsonValue | undefined): boolean {
  if (!isObject(item)) return false;
  const keys = Object.keys(item);
  return HIDDEN_ROLES.includes(item.role) || REASONING_TYPES.includes(item.type) || keys.length === 0;
}

function toPlain(value: unknown, key = '', depth = 0): JsonValue | undefined {
  if (depth > MAX_DEPTH) {
    throw new MemoryError(
      'INVALID_ARGUMENT',
      'An item of the segment has a cycle or is nested too deep. Pass plain data.',
    );
  }
  switch (typeof value) {
    case 'string':
      return plainText(value, key);
    case 'number':
      return Number.isFinite(value) ? value : String(value);
    case 'boolean':
      return value;
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? null : plainObject(value, key, depth);
    default:
      return undefined;
  }
}

function plainObject(value: object, key: string, depth: number): JsonValue | undefined {
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return bytes('bytes', value.byteLength);
  if (value instanceof Blob) return bytes(value.type || 'blob', value.size);
  if (Array.isArray(value)) return value.map((part) => toPlain(part, '', depth + 1) ?? null);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return toPlain(toJSON.call(value, key), key, depth + 1);
  if (value instanceof Error) return { name: value.name, message: plainText(value.message, '') };
  const entries = Object.entries(value).flatMap(([name, field]) => {
    const plain = PRIVATE_KEYS.includes(name) ? undefined : toPlain(field, name, depth + 1);
    return plain === undefined ? [] : [[name, plain] as const];
  });
  return Object.fromEntries(entries);
}

function plainText(text: string, key: string): JsonValue {
  const url = /^data:([^;,]*)[^,]{0,100},/.exec(text.slice(0, 400));
  if (url !== null) return bytes(url[1] || 'text/plain', base64Length(text.length - url[0].length));
  if (BYTE_KEYS.includes(key) && text.length >= MIN_BASE64 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) {
    return bytes('base64', base64Length(text.length));
  }
  return withoutDataUrls(text);
}

/** Also replaces data URLs in text such as Markdown. */
function withoutDataUrls(text: string): string {
  if (!text.includes(';base64,')) return text;
  return text.replace(/data:([\w.+/-]{1,100});base64,([A-Za-z0-9+/_-]+={0,2})/g, (_, type, data) => {
    return `[${type}, ${base64Length(data.length)} bytes]`;
  });
}

function base64Length(characters: number): number {
  return Math.floor((characters * 3) / 4);
}

function bytes(type: string, byteLength: number): JsonObject {
  return { type, byteLength };
}
