import { isObject } from './is-object.ts';
import { readLenientJson } from './lenient-json.ts';
import { parseJson } from './parse-json.ts';

/**
 * The JSON values in a model's answer, most likely first: the value that the provider parsed, else the whole text, else what
 * stands in the text without its thoughts, the last first, because models draft before they decide; and what each wraps,
 * such as the input of a tool. JSON as a text is read as JSON. Small slips are accepted, see {@link readLenientJson};
 * an answer that is cut off is not.
 */
export function jsonAnswers(answer: { readonly text: unknown; readonly object?: unknown }): unknown[] {
  // The model is the caller's, so its answer may be anything.
  const { text, object } = isObject(answer) ? answer : {};
  const values = [object, ...(typeof text === 'string' ? valuesIn(text) : [])].map(fromText);
  return values.flatMap(withWrapped).filter((value) => value !== undefined && value !== null);
}

/**
 * The JSON object in a model's answer that has one of the given fields, if there is one; of an answer that is `{}`, that.
 *
 * @param names - The fields. Without, any object.
 */
export function objectAnswer<Field = unknown>(
  answer: { readonly text: unknown; readonly object?: unknown },
  names: readonly string[] = [],
): Record<string, Field> | undefined {
  const objects = jsonAnswers(answer).filter(isObject<Field>);
  const isAsked = (object: Record<string, Field>) =>
    names.length === 0 || names.some((name) => Object.hasOwn(object, name)) || Object.keys(object).length === 0;
  return objects.find(isAsked);
}

/** The JSON in a model's answer to a schema: an object with one of its properties, else the most likely value, if any. */
export function schemaAnswer(
  answer: { readonly text: unknown; readonly object?: unknown },
  { properties }: { readonly properties?: unknown },
): unknown {
  return objectAnswer(answer, Object.keys(isObject(properties) ? properties : {})) ?? jsonAnswers(answer)[0];
}

/** A value, or what its text is in JSON. */
export function fromText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? valuesIn(value)[0] : value;
}

/** A text of a model without its thoughts, trimmed. Thoughts that do not end are all of the text. */
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
  return (from === undefined ? kept : kept + text.slice(from)).trim();
}

/** As models of DeepSeek, Qwen, Mistral and Kimi write them; and what comes before the answer in that of gpt-oss. */
const THOUGHT_TAG =
  /[<[◁](\/?)(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|scratchpad)[>\]▷]|<(\|)channel\|>final<\|message\|>/gi;

function valuesIn(text: string): unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  const answer = withoutThoughts(text);
  const values: unknown[] = [];
  for (let at = nextBracket(answer, 0); at >= 0; ) {
    const reading = readLenientJson(answer, at);
    if ('isCut' in reading && reading.isCut) return [];
    if (!('isCut' in reading)) values.unshift(reading.value);
    // What stands inside a value that can't be read is only a part of it.
    at = nextBracket(answer, Math.max(reading.end, at + 1));
  }
  return values;
}

function nextBracket(text: string, from: number): number {
  const bracket = /[{[]/g;
  bracket.lastIndex = from;
  return bracket.exec(text)?.index ?? -1;
}

/** The fields that hold the input of a call. */
const CALLS = ['arguments', 'parameters', 'function'];
const WRAPPERS = ['input', 'answer', 'response', 'result', 'output', 'data', 'json', 'profile'];

/** What a value wraps, such as `{ "answer": … }` and `{ "name": …, "arguments": … }`: before the value itself if it is a call. */
function withWrapped(value: unknown): unknown[] {
  if (!isObject(value)) return [value];
  const [name = '', ...others] = Object.keys(value).filter((key) => !['name', 'type', 'id'].includes(key));
  const isCall = CALLS.includes(name);
  const inner = others.length === 0 && (isCall || WRAPPERS.includes(name)) ? fromText(value[name]) : undefined;
  if (typeof inner !== 'object' || inner === null) return [value];
  return isCall ? [...withWrapped(inner), value] : [value, ...withWrapped(inner)];
}
