import { isObject } from './is-object.ts';
import { readLenientJson } from './lenient-json.ts';
import { parseJson } from './parse-json.ts';
import { placeholder } from './placeholder.ts';

/** What a model answered. The model is the caller's, so it may be anything. */
interface Answer {
  readonly text: unknown;
  /** The value that the provider parsed. */
  readonly object?: unknown;
}

type Test = (value: unknown) => boolean;

/**
 * The JSON values in a model's answer: the value that the provider parsed, then those in the text without its thoughts, the
 * last first. JSON as a text is read as JSON. Small slips are accepted, see {@link readLenientJson}; an answer that is cut
 * off is not.
 */
export function jsonAnswers(answer: Answer): unknown[] {
  return valuesIn(sourcesOf(answer));
}

/**
 * The JSON object in a model's answer with all of the given fields, else with some, else one without any field. Of several,
 * the last: models draft before they decide, and what they remark after the answer seldom has its fields.
 */
export function objectAnswer<Field = unknown>(
  answer: Answer,
  names: readonly string[],
): Record<string, Field> | undefined {
  return objectIn(sourcesOf(answer), names) as Record<string, Field> | undefined;
}

/** The JSON objects in a model's answer that pass a test, alone or in wrappers, the last first. */
export function objectAnswers<Field = unknown>(
  answer: Answer,
  isAsked: (object: Record<string, unknown>) => boolean,
): Record<string, Field>[] {
  return objectsIn(sourcesOf(answer), isAsked) as Record<string, Field>[];
}

/**
 * The list in a field of a model's answer, or alone, or its items alone. With words between them, these are no answer: the
 * words may say which of them to ignore.
 */
export function listAnswer(answer: Answer, field: string, isItem: Test): unknown[] | undefined {
  const sources = sourcesOf(answer);
  const holder = objectIn(sources, [field]);
  return holder && Object.hasOwn(holder, field) ? listIn(holder[field], field, isItem) : listAlone(sources, isItem);
}

interface Schema {
  readonly type?: unknown;
  readonly properties?: unknown;
  readonly items?: unknown;
  readonly anyOf?: unknown;
}

/**
 * The JSON in a model's answer to a schema: a list if it asks for one, else an object with one of its properties, also if only
 * its list is given; else the most likely value, if any.
 */
export function schemaAnswer(answer: Answer, { type, properties, items }: Schema): unknown {
  const sources = sourcesOf(answer);
  if (type === 'array') return listAlone(sources, itemTest(items)) ?? valuesIn(sources).find(Array.isArray);
  const fields = isObject<Schema>(properties) ? properties : {};
  const object = objectIn(sources, Object.keys(fields));
  if (object !== undefined) return object;
  const [field, ...others] = Object.entries(fields).filter(([, schema]) => namesOf(schema?.items).length > 0);
  const list = field && others.length === 0 ? listAlone(sources, itemTest(field[1].items)) : undefined;
  if (field && list) return { [field[0]]: list };
  return valuesIn(sources).find((value) => !isObject(value) || !isSchema(value));
}

/** A value, or what its text is in JSON. */
function fromText(value: unknown): unknown {
  return isJsonText(value) ? groupsIn(value)[0]?.at(-1) : value;
}

/** A text of a model without its thoughts and the tokens of its template around, trimmed. Thoughts that do not end are all. */
export function withoutThoughts(text: string): string {
  let kept = '';
  let from: number | undefined = 0;
  for (const { 0: tag, 1: slash, index } of text.matchAll(THOUGHT_TAG)) {
    if (slash === '') {
      if (from !== undefined) kept += text.slice(from, index);
      from = undefined;
    } else {
      // Some chat templates leave out the tag that begins the thoughts.
      if (from !== undefined) kept = '';
      from = index + tag.length;
    }
  }
  return (from === undefined ? kept : kept + text.slice(from)).trim().replace(TOKENS, '').trim();
}

/** The tokens that begin and end what a model says in chat templates. */
const TOKENS =
  /^(?:(?:<\|\w{1,40}\|>(?:assistant\b)?|<s>|\[\/INST\]|<start_of_turn>(?:model\b)?)\s*){1,5}|(?:<\|\w{1,40}\|>|<\/s>|\[\/?INST\]|<end_of_turn>)$/g;

/** As models of DeepSeek, Qwen, Mistral and Kimi write them; and what comes before the answer in that of gpt-oss. */
const THOUGHT_TAG =
  /[<[◁](\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)[>\]▷]|<(\|)channel\|>final<\|message\|>/gi;

/** Values by the words between them: those without a word between are one group. The last group comes first. */
type Groups = readonly (readonly unknown[])[];

/** The values that the provider parsed, and those in the text. */
function sourcesOf(answer: Answer): Groups[] {
  const { text, object } = isObject(answer) ? answer : {};
  return [object === undefined ? [] : [[object]], typeof text === 'string' ? groupsIn(text) : []];
}

function valuesIn(sources: readonly Groups[]): unknown[] {
  const values = sources.flatMap((groups) => groups.flatMap((group) => group.toReversed()));
  return values.map(fromText).filter((value) => value !== undefined && value !== null);
}

function objectIn(sources: readonly Groups[], names: readonly string[]): Record<string, unknown> | undefined {
  const has = (object: Record<string, unknown>) => (name: string) => Object.hasOwn(object, name);
  const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
  const objects = objectsIn(sources, (object) => names.some(has(object)));
  const empty = () => valuesIn(sources).map(inputOf).find(isEmpty) as Record<string, unknown> | undefined;
  return objects.find((object) => names.every(has(object))) ?? objects[0] ?? empty();
}

function objectsIn(
  sources: readonly Groups[],
  isAsked: (object: Record<string, unknown>) => boolean,
): Record<string, unknown>[] {
  const objectGroups = sources.flatMap((groups) => foundIn(groups, (value) => isObject(value) && isAsked(value)));
  return objectGroups.map((objects) => merged(objects as Record<string, unknown>[]));
}

function groupsIn(text: string): unknown[][] {
  const whole = parseJson(text);
  if (whole !== undefined) return [[whole]];
  const answer = unescaped(withoutThoughts(text));
  const groups: unknown[][] = [];
  let end = 0;
  for (let at = nextBracket(answer, 0); at >= 0; ) {
    const reading = readLenientJson(answer, at);
    if (!('isCut' in reading)) {
      const group = hasWords(answer.slice(end, at)) ? undefined : groups.at(-1);
      if (group === undefined) groups.push([reading.value]);
      else group.push(reading.value);
      end = reading.end;
    }
    // Parts of a value that can't be read are no answers, and values before it may have been drafts.
    else if (reading.isCut || reading.hasField) return [];
    at = nextBracket(answer, Math.max(reading.end, at + 1));
  }
  return groups.reverse();
}

/** Whether there is more between two values than commas, bullets, fences and the tags between calls. */
function hasWords(between: string): boolean {
  return !/^[\s,;|*+•.)~`\d-]*$/.test(between.replaceAll(/[`~]{3}\w{1,20}|<\/(\w{1,40})>\s{0,9}<\1>/g, ''));
}

/** JSON as it was before it was quoted line by line, or escaped for a text or HTML; with the first brace, if it is missing. */
function unescaped(answer: string): string {
  const text = answer.replaceAll(/^> ?/gm, '');
  if (/^"\w+"\s*:/.test(text)) return `{${text}`;
  if (/[{[]\s*"/.test(text)) return text;
  if (/[{[]\s*&quot;/.test(text))
    return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  if (!/[{[](?:\s|\\n){0,200}\\"/.test(text)) return text;
  return text.replaceAll(/\\([\\"/n])/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function nextBracket(text: string, from: number): number {
  // The boxes of lists of tasks are no lists.
  const bracket = /\{|\[(?![ xX]\] )/g;
  bracket.lastIndex = from;
  return bracket.exec(text)?.index ?? -1;
}

const MAX_WRAPPERS = 10;
/** The fields that hold the input of a call, and those beside it. */
const CALLS = ['arguments', 'parameters', 'function', 'input', 'args'];
const ASIDES = ['name', 'type', 'id', 'call_id', 'index'];

/** What passes a test in each group, without the groups that have nothing of it. */
function foundIn(groups: Groups, isAsked: Test, depth = 0): unknown[][] {
  const valueGroups = groups.map((group) => group.flatMap((value) => within(value, isAsked, depth)));
  return valueGroups.filter(({ length }) => length > 0);
}

/**
 * A value that passes a test, or that in what wraps it, such as `{ "answer": … }`, `{ "name": …, "arguments": … }` and a list of
 * one, whatever the name of the field. Nothing if several fields have one.
 */
function within(value: unknown, isAsked: Test, depth: number): unknown[] {
  if (depth > MAX_WRAPPERS) return [];
  if (isJsonText(value)) return foundIn(groupsIn(value), isAsked, depth + 1)[0] ?? [];
  if (typeof value !== 'object' || value === null || isSchema(value)) return [];
  const input = inputOf(value);
  if (input !== value) return within(input, isAsked, depth + 1);
  if (isAsked(value)) return [value];
  if (Array.isArray(value) && value.length > 1) return [];
  const parts = Object.entries(value).flatMap(([name, part]) => (name === 'error' ? [] : [part]));
  const [values = [], ...others] = parts
    .map((part) => within(part, isAsked, depth + 1))
    .filter(({ length }) => length > 0);
  return others.length === 0 ? values : [];
}

/** The input of a call, or else the value. */
function inputOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [name = '', ...others] = Object.keys(value).filter((key) => !ASIDES.includes(key));
  const input = others.length === 0 && CALLS.includes(name) ? value[name] : undefined;
  return isJsonText(input) || isObject(input) ? input : value;
}

const SCHEMA_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];

/** Whether an object has schemas in place of values, as models repeat the schema that they were given. */
function isSchema(value: object): boolean {
  const parts = Array.isArray(value) ? [] : Object.values(value);
  const isPart = (part: unknown) =>
    isObject(part) && [part.type].flat().some((type) => SCHEMA_TYPES.includes(type as string));
  return parts.length > 0 && parts.every(isPart);
}

/** Objects of one answer as one object. Of a field that several have, lists are joined, and of other values the last counts. */
function merged(objects: readonly Record<string, unknown>[]): Record<string, unknown> {
  const [only, ...others] = objects;
  if (only !== undefined && others.length === 0) return only;
  const fields = new Map<string, unknown[]>();
  for (const [name, value] of objects.flatMap((object) => Object.entries(object))) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  const join = (values: unknown[]) => (values.every(Array.isArray) ? distinct(values.flat()) : values.at(-1));
  return Object.fromEntries(Array.from(fields, ([name, values]) => [name, join(values)]));
}

/** The values, each once. */
function distinct(values: readonly unknown[]): unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function listAlone(sources: readonly Groups[], isItem: Test): unknown[] | undefined {
  const [lists] = sources.flatMap((groups) => foundIn(groups, (value) => Array.isArray(value) && value.some(isItem)));
  if (lists !== undefined) return lists.length === 1 ? (lists[0] as unknown[]) : distinct(lists.flat());
  // The text shows if words are between items, even if the provider parsed one of them.
  for (const groups of sources.toReversed()) {
    const [items, ...others] = groups.filter((group) => foundIn([group], isItem).length > 0);
    if (others.length > 0) return undefined;
    // With what is no item, so that it is known that the answer has more.
    if (items !== undefined) return distinct(items.flatMap((item) => foundIn([[item]], isItem)[0] ?? [item]));
  }
  const values = valuesIn(sources).filter((value) => typeof value === 'object');
  const isEmpty = (value: unknown) => Object.keys(value as object).length === 0;
  return values.some(Array.isArray) && values.every(isEmpty) ? [] : undefined;
}

/** The list in a field: also one that is a text, one item, or words for no items. */
function listIn(value: unknown, field: string, isItem: Test): unknown[] | undefined {
  if (isJsonText(value)) return listAnswer({ text: value }, field, isItem);
  if (value === null || (typeof value === 'string' && placeholder(value) === 'nothing')) return [];
  return Array.isArray(value) ? value : [value];
}

/** The names of the fields of items, if they are objects. */
function namesOf(items: unknown): string[] {
  const { properties, anyOf } = isObject(items) ? (items as Schema) : {};
  if (Array.isArray(anyOf)) return anyOf.flatMap(namesOf);
  return isObject(properties) ? Object.keys(properties) : [];
}

function itemTest(items: unknown): Test {
  const names = namesOf(items);
  return (value) => isObject(value) && names.some((name) => Object.hasOwn(value, name));
}

function isJsonText(value: unknown): value is string {
  return typeof value === 'string' && /^\s*[[{]/.test(value);
}
