import type { JsonObject, JsonValue, MemoryEntry } from '@keepsake/core';
import type { RetrievalContent, RetrievalLocation, RetrievalResult } from './aws-client.ts';

/** A result as an entry; `undefined` where it says nothing that a model could read, as an image does. */
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

/** What `delete` and `status` take. */
function idOf(location: RetrievalLocation | undefined): string | undefined {
  return location?.customDocumentLocation?.id ?? location?.s3Location?.uri;
}

function textOf(content: RetrievalContent | undefined): string | undefined {
  const row = content?.row
    ?.map(({ columnName, columnValue }) => `${columnName ?? ''}: ${columnValue ?? ''}`)
    .join('\n');
  return content?.text ?? row ?? content?.audio?.transcription ?? content?.video?.summary;
}

/** What the SDK reads, as JSON. Numbers that a double can't hold, which it gives in types of its own, become texts. */
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

/** `1.0` comes as digits too, and is a number. */
function toNumber(digits: string): number | string {
  const number = Number(digits);
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : digits;
}
