import { MemoryError, type MemoryRecord, type RecordInput } from '@keepsake/core';
import { uuidv7 } from '@keepsake/core/adapter';
import { isObject, parseJson, sha256 } from '@keepsake/internal';
import { toBase64 } from './base64.ts';
import { isIdText } from './storage-key.ts';

/*
 * A value is a head, whose id ends with the key, and parts with its bytes as base64. One batch writes them, and no part is
 * ever replaced: a new value has new parts, and the old ones are removed after it is there.
 */

/** As base64, a part has exactly 1 MiB, which is the most that a record holds. */
const PART_BYTES = 768 * 1024;
/** More than a process can hold. */
const MAX_PARTS = 10_000;
const HEAD = 'key:';
const PART = 'part:';

/** The parts of one value. */
export interface PartSet {
  /** What the ids of its parts begin with. */
  readonly write: string;
  readonly parts: number;
}

/** What the head of a value says. */
export interface Head extends PartSet {
  readonly bytes: number;
  /** Whether the value is deleted, and this head is there only until its parts are. */
  readonly deleted?: true;
  /** The parts of the value before, which may still be there. */
  readonly old?: PartSet;
}

/** The id of the head of a key. */
export function headId(key: string): string {
  return HEAD + key;
}

/** Whether a record can be the head of this key. */
export function isStorable(key: string): boolean {
  return isIdText(headId(key));
}

/** The ids of parts, in their order. */
export function partIds({ write, parts }: PartSet): string[] {
  return Array.from({ length: parts }, (_, index) => `${write}:${index}`);
}

/** @throws MemoryError `CORRUPT` if it is damaged. */
export function readHead({ content }: MemoryRecord): Head {
  const head = parseJson(content);
  const isHead = isPartSet(head) && isWhole(head.bytes) && (head.old === undefined || isPartSet(head.old));
  if (isHead) return head as unknown as Head;
  throw new MemoryError('CORRUPT', 'This value is damaged in the store. Restore a backup.');
}

function isPartSet(set: unknown): set is Record<string, unknown> {
  return isObject(set) && typeof set.write === 'string' && isWhole(set.parts) && set.parts <= MAX_PARTS;
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** The record of a head. */
export function headRecord(key: string, head: Head): RecordInput {
  return { id: headId(key), content: JSON.stringify(head), index: false };
}

/** The records of a new value, all for one batch. */
export async function valueRecords(key: string, data: Uint8Array, old: PartSet | undefined): Promise<RecordInput[]> {
  const bytes = data.length;
  const set = { write: `${PART}${await sha256(key)}:${uuidv7()}`, parts: Math.ceil(bytes / PART_BYTES) };
  const parts = partIds(set).map((id, index) => {
    const from = index * PART_BYTES;
    return { id, content: toBase64(data.subarray(from, from + PART_BYTES)), index: false };
  });
  return [...parts, headRecord(key, { ...set, bytes, ...(old && { old: { write: old.write, parts: old.parts } }) })];
}
