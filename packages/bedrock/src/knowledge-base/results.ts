import type { JsonObject, JsonValue, MemoryEntry } from '@keepsake/core';
import type { RetrievalContent, RetrievalLocation, RetrievalResult } from '../aws/aws-client.ts';

/** Converts a result to an entry; `undefined` if it has no text, such as an image. */
export function toEntry(result: RetrievalResult, scored: boolean): MemoryEntry | undefined {
  const content = textOf(result.content);
  if (content === undefined || content.trim() === '') return undefined;
  const { score, location } = result;
  const id = idOf(location);
  const metadata: JsonObject = {
    ...(toJson(result.metadata ?? {}) as JsonObject),
    ...(score === undefined ? {} : { _relevanceScore: score }),
    ...(location === undefined ? {} : { _sourceLocation: toJson(location) }),
  };
  return {
    ...(id === undefined ? {} : { id }),
    content,
    metadata,
    ...(scored && score !== undefined ? { score } : {}),
  };
}

/** The id that `delete` and `status` accept. */
function idOf(location: RetrievalLocation | undefined): string | undefined {
  return location?.customDocumentLocation?.id ?? location?.s3Location?.uri;
}

function textOf(content: RetrievalContent | undefined): string | undefined {
  const row = content?.row
    ?.map(({ columnName, columnValue }) => `${columnName ?? ''}: ${columnValue ?? ''}`)
    .join('\n');
  return content?.text ?? row ?? content?.audio?.transcription ?? content?.video?.summary;
}

/** Converts SDK values to JSON. Numbers that exceed a double, for which the SDK has its own types, become strings. */
function toJson(value: unknown): JsonValue {
  if (typeof value === 'bigint') return toNumber(String(value));
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return (value ?? null) as JsonValue;
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Date) return value.toISOString();
  const { string, type } = value as { string?: unknown; type?: unknown };
  if (typeof string === 'string' && type === 'bigDecimal') return toNumber(string);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(fields.map(([key, field]) => [key, toJson(field)]));
}

/** `1.0` is also returned as digits, and is a number. */
function toNumber(digits: string): number | string {
  const number = Number(digits);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : digits;
}
