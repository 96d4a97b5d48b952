import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject, parseJson } from '@keepsake/internal';
import { findSecrets } from './find-secrets.ts';
import { areWords, isHarmless, looksRandom } from './harmless-values.ts';
import { isPayload } from './payloads.ts';
import { nameStrength } from './secret-names.ts';
import { isTextToken } from './text-tokens.ts';

const REDACTED = '[redacted]';

/** How deep values and the JSON in their strings may nest together. Deeper JSON in a string is redacted as plain text. */
const MAX_DEPTH = 500;

/**
 * Replaces keys, tokens, passwords, cookies and connection strings in a text with `[redacted]`.
 *
 * Finds secrets by their own form (`ghp_…`), by their name (`password: …`) and by where they stand (`curl -u …`). No list
 * finds every secret. Redacting a redacted text again changes nothing.
 *
 * @example
 * redactText('DB_PASSWORD="correct horse"'); // DB_PASSWORD="[redacted]"
 */
export function redactText(text: string): string {
  let { redacted, places } = redactFound(text);
  // What is left around a secret may look like another one. Few texts need a third pass, hostile ones get no endless loop.
  for (let pass = 1; places.length > 0 && pass < MAX_PASSES; pass++) {
    ({ redacted, places } = redactAround(redacted, places));
  }
  return redacted;
}

const MAX_PASSES = 8;
/** How many characters before and after a replaced secret are searched again, up to the ends of their lines. */
const REACH = 500;

/** A text, and the places at which it has become `[redacted]` in this pass. */
interface Redacted {
  readonly redacted: string;
  readonly places: readonly number[];
}

function redactFound(text: string): Redacted {
  const places: number[] = [];
  let [redacted, from] = ['', 0];
  for (const [begin, end] of findSecrets(text)) {
    if (isRedacted(text, begin)) continue;
    redacted += text.slice(from, begin);
    places.push(redacted.length);
    redacted += REDACTED;
    from = end;
  }
  return { redacted: from === 0 ? text : redacted + text.slice(from), places };
}

/** Looks again in the lines around ascending places, which is little of most texts. */
function redactAround(text: string, places: readonly number[]): Redacted {
  const redactedPlaces: number[] = [];
  let [redacted, from] = ['', 0];
  for (let at = 0; at < places.length; ) {
    const begin = Math.max(from, text.lastIndexOf('\n', (places[at] as number) - REACH) + 1);
    let end = endOfLine(text, (places[at] as number) + REACH);
    for (at++; at < places.length && (places[at] as number) - REACH <= end; at++) {
      const last = (places[at] as number) + REACH;
      if (last > end) end = endOfLine(text, last);
    }
    const around = redactFound(text.slice(begin, end));
    redacted += text.slice(from, begin);
    redactedPlaces.push(...around.places.map((place) => redacted.length + place));
    redacted += around.redacted;
    from = end;
  }
  return { redacted: redacted + text.slice(from), places: redactedPlaces };
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Whether a secret was here. What follows, such as the quote of an escaped string, is no part of it. */
function isRedacted(text: string, at: number): boolean {
  const reach = REDACTED.length - 1;
  return text.slice(Math.max(0, at - reach), at + REDACTED.length).includes(REDACTED);
}

/**
 * A copy of a JSON value with redacted strings and names, and without the values of fields that are named like a secret. A
 * string that is JSON itself, such as the arguments of a tool, is redacted in the same way. What `encrypted` encrypted stays as
 * it is, and so do images, files and what providers encrypted or signed, in Base64.
 */
export function redactJson<T extends JsonValue>(value: T): T {
  return redactPart(value, 0) as T;
}

function redactPart(part: JsonValue, depth: number, isInList = false): JsonValue {
  if (typeof part === 'string') return redactString(part, depth);
  if (Array.isArray(part))
    return part.map((item, index) =>
      isSecretItem(part, index, isInList) ? REDACTED : redactPart(item, depth + 1, true),
    );
  if (!isObject(part) || isSealed(part as JsonObject)) return part;
  const fields = Object.entries(part as JsonObject).map(([name, field]) => [
    redactText(name),
    isSecretField(name, field, part as JsonObject) ? REDACTED : redactField(name, field, depth + 1),
  ]);
  return Object.fromEntries(fields);
}

/** In Base64, only what is a secret as a whole is one. */
function redactField(name: string, field: JsonValue, depth: number): JsonValue {
  if (typeof field !== 'string' || !isPayload(name, field)) return redactPart(field, depth);
  return findSecrets(field).some(([begin, end]) => begin === 0 && end === field.length) ? REDACTED : field;
}

/** Where a secret begins after an escaped line break or quote, only the parsed text shows it. */
function redactString(text: string, depth: number): string {
  const value = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
  if (typeof value !== 'object' || value === null || isDeeperThan(value, MAX_DEPTH - depth)) return redactText(text);
  const redacted = JSON.stringify(redactPart(value as JsonValue, depth));
  return redacted === JSON.stringify(value) ? text : redacted;
}

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels <= 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

/** Includes `value` next to a `name` or `key`, as in variables and headers. */
function isSecretField(name: string, field: JsonValue, owner: JsonObject): boolean {
  if (field === '' || field === null || typeof field === 'boolean') return false;
  if (isSecretOf(name, field)) return !isTextToken(name, field, owner);
  if (!/value$/i.test(name)) return false;
  return Object.entries(owner).some(
    ([other, named]) => /(?:name|key)$/i.test(other) && typeof named === 'string' && isSecretOf(named, field),
  );
}

function isSecretOf(name: string, value: JsonValue): boolean {
  const strength = nameStrength(name);
  if (strength !== 'faint') return strength !== undefined;
  return typeof value === 'string' && !isHarmless(value, strength, 'quoted');
}

/** The value after its name, in a pair such as a header, or in a longer list such as a command or all headers. */
function isSecretItem(list: readonly JsonValue[], index: number, isInList: boolean): boolean {
  const [name, value] = [list[index - 1], list[index]];
  if (typeof name !== 'string' || typeof value !== 'string') return false;
  const strength = nameStrength(name);
  if (strength === undefined) return false;
  if (list.length === 2 && (isInList || !areWords(name, value))) return isSecretOf(name, value);
  if (areWords(name, value)) return false;
  if (value.startsWith('--') || isHarmless(value, strength, 'quoted')) return false;
  return strength === 'strong' || name.startsWith('-') || looksRandom(value);
}

/**
 * Whether an object is what `encrypted` makes of a text: a nonce of 12 bytes and a ciphertext, both in base64. In millions of
 * random letters, some look like a token by chance.
 */
function isSealed({ key, check, nonce, data }: JsonObject): boolean {
  if (typeof key !== 'string' || typeof check !== 'string') return false;
  return (
    typeof nonce === 'string' && /^[\w+/]{16}$/.test(nonce) && typeof data === 'string' && /^[\w+/]+=*$/.test(data)
  );
}
