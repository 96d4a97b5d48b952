import type { JsonObject, JsonValue } from '@keepsake/core';
import { lintSource } from '@secretlint/core';
import { creator } from '@secretlint/secretlint-rule-preset-recommend';
import { isSecretField, SECRET_PATTERNS } from './secret-patterns.ts';

const REDACTED = '[redacted]';

/** All rules of the preset but the one by which a comment in the text turns the others off. */
const RULES = creator.rules
  .filter(({ meta }) => meta.id !== '@secretlint/secretlint-rule-filter-comments')
  .map((rule) => ({ id: rule.meta.id, rule }));

/** A text with `[redacted]` in the place of keys, tokens, passwords and connection strings. */
export async function redactText(text: string): Promise<string> {
  const [redacted = ''] = await redactTexts([text]);
  return redacted;
}

/** A JSON value with its texts and names redacted, and what stands in a field that is named like a secret. */
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

/** No name of a field that is shorter is looked at. */
const MIN_SECRET = 16;

/** Also the `value` of what says its name beside it, as variables and headers do. */
function isSecret(name: string, field: JsonValue, owner: JsonObject): boolean {
  if (field === '' || field === null || typeof field === 'boolean') return false;
  if (isSecretField(name)) return true;
  return name === 'value' && [owner.name, owner.key].some((named) => typeof named === 'string' && isSecretField(named));
}

/** A header as a list of two: its name and its value. */
function isSecretPair(list: readonly JsonValue[]): boolean {
  const [name, value] = list;
  return list.length === 2 && typeof name === 'string' && typeof value === 'string' && isSecretField(name);
}

const BETWEEN = '\n\n';

/** A call of the rules has a cost of its own: so all texts are looked at together. */
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

/** Where the rules find secrets, in order and apart. */
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

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
