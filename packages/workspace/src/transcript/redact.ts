import type { JsonObject, JsonValue } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { isSecretField, SECRET_PATTERNS } from './secret-patterns.ts';

const REDACTED = '[redacted]';

/** All rules of the preset except the one that lets a comment in the text turn off the others. */
const RULES = creator.rules
  .filter(({ meta }) => meta.id !== '@secretlint/secretlint-rule-filter-comments')
  .map((rule) => ({ id: rule.meta.id, rule }));

/** Replaces keys, tokens, passwords and connection strings in a text with `[redacted]`. */
export async function redactText(text: string): Promise<string> {
  const [redacted = ''] = await redactTexts([text]);
  return redacted;
}

/** Redacts the strings and names of a JSON value, and the fields named like a secret. */
export async function redactJson<T extends JsonValue>(value: T): Promise<T> {
  const texts: string[] = [];
  const collect = (part: JsonValue) => {
    if (typeof part === 'string') texts.push(part);
    else if (Array.isArray(part)) (isSecretPair(part) ? part.slice(0, 1) : part).forEach(collect);
    else if (isObject(part)) {
      for (const [name, field] of Object.entries(part)) {
        if (name.length >= MIN_SECRET) texts.push(name);
        if (!isSecret(name, field, part)) collect(field);
      }
    }
  };
  collect(value);
  const redacted = (await redactTexts(texts)).values();
  const replace = (part: JsonValue): JsonValue => {
    if (typeof part === 'string') return redacted.next().value ?? '';
    if (Array.isArray(part))
      return isSecretPair(part) ? [...part.slice(0, 1).map(replace), REDACTED] : part.map(replace);
    if (!isObject(part)) return part;
    const fields = Object.entries(part).map(([name, field]) => [
      name.length >= MIN_SECRET ? replace(name) : name,
      isSecret(name, field, part) ? REDACTED : replace(field),
    ]);
    return Object.fromEntries(fields);
  };
  return replace(value) as T;
}

/** Shorter field names are not checked. */
const MIN_SECRET = 16;

/** Includes `value` next to a `name` or `key`, as in variables and headers. */
function isSecret(name: string, field: JsonValue, owner: JsonObject): boolean {
  if (field === '' || field === null || typeof field === 'boolean') return false;
  if (isSecretField(name)) return true;
  return name === 'value' && [owner.name, owner.key].some((named) => typeof named === 'string' && isSecretField(named));
}

/** A header as a pair of name and value. */
function isSecretPair(list: readonly JsonValue[]): boolean {
  const [name, value] = list;
  return list.length === 2 && typeof name === 'string' && typeof value === 'string' && isSecretField(name);
}

const BETWEEN = '\n\n';

/** Each run of the rules has a fixed cost, so all texts are checked together. */
async function redactTexts(texts: readonly string[]): Promise<string[]> {
  const ranges = await findSecrets(texts.join(BETWEEN));
  let offset = 0;
  let next = 0;
  return texts.map((text) => {
    const end = offset + text.length;
    let [redacted, from] = ['', offset];
    while (next < ranges.length && (ranges[next] as Range)[1] <= offset) next++;
    for (let at = next; at < ranges.length && (ranges[at] as Range)[0] < end; at++) {
      const [begin, stop] = ranges[at] as Range;
      redacted += text.slice(from - offset, Math.max(begin, offset) - offset) + REDACTED;
      from = Math.min(stop, end);
    }
    redacted += text.slice(from - offset);
    offset = end + BETWEEN.length;
    return SECRET_PATTERNS.reduce(applyPattern, redacted);
  });
}

type Range = readonly [begin: number, end: number];

/** The ranges of secrets, sorted and without overlaps. */
async function findSecrets(content: string): Promise<Range[]> {
  const { messages } = await lintSource({
    source: { filePath: 'transcript.txt', content, ext: '.txt', contentType: 'text' },
    options: { config: { rules: RULES }, noPhysicFilePath: true },
  });
  const ranges: Range[] = [];
  const found = messages.map(({ range }) => [range[0] ?? 0, range[1] ?? 0] as const).filter(([from, to]) => to > from);
  for (const [begin, end] of found.sort(([a], [b]) => a - b)) {
    const last = ranges.at(-1);
    if (last !== undefined && begin <= last[1]) ranges[ranges.length - 1] = [last[0], Math.max(last[1], end)];
    else ranges.push([begin, end]);
  }
  return ranges;
}

function applyPattern(text: string, { pattern, keep }: (typeof SECRET_PATTERNS)[number]): string {
  return text.replace(pattern, (_, ...groups) => {
    const [before, after] = keep?.(groups.filter((group) => typeof group === 'string')) ?? ['', ''];
    return `${before}${REDACTED}${after}`;
  });
}
