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
  return values.flatMap((value) => withWrapped(value)).filter((value) => value !== undefined && value !== null);
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

/**
 * The JSON in a model's answer to a schema: a list if it asks for one, an object with one of its properties, else the most
 * likely value, if any.
 */
export function schemaAnswer(
  answer: { readonly text: unknown; readonly object?: unknown },
  { type, properties }: { readonly type?: unknown; readonly properties?: unknown },
): unknown {
  if (type === 'array') return jsonAnswers(answer).find(Array.isArray);
  return objectAnswer(answer, Object.keys(isObject(properties) ? properties : {})) ?? jsonAnswers(answer)[0];
}

/** A value, or what its text is in JSON. */
export function fromText(value: unknown): unknown {
  return typeof value === 'string' && /^\s*[[{]/.test(value) ? valuesIn(value)[0] : value;
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

function valuesIn(text: string): unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  const answer = unescaped(withoutThoughts(text));
  const values: unknown[] = [];
  for (let at = nextBracket(answer, 0); at >= 0; ) {
    const reading = readLenientJson(answer, at);
    if (!('isCut' in reading)) values.push(reading.value);
    // Parts of a value that can't be read are no answers, and values before it may have been drafts.
    else if (reading.isCut || reading.hasField) return [];
    at = nextBracket(answer, Math.max(reading.end, at + 1));
  }
  values.reverse();
  return values;
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

/** The fields that hold the input of a call. */
const CALLS = ['arguments', 'parameters', 'function'];
const WRAPPERS =
  /* @__PURE__ */ 'input answer final_answer response result output data json content message profile'.split(' ');
const MAX_WRAPPERS = 10;
/** The fields that stand beside it. */
const ASIDES = ['name', 'type', 'id', 'role', 'status', 'success', 'reasoning', 'thought', 'thoughts', 'confidence'];

/**
 * What a value wraps, such as `{ "answer": … }`, `{ "name": …, "arguments": … }` and a list of one object: before the value
 * itself if it is a call or a list.
 */
function withWrapped(value: unknown, depth = 0): unknown[] {
  if (depth > MAX_WRAPPERS) return [value];
  if (Array.isArray(value) && value.length === 1 && isObject(value[0]))
    return [...withWrapped(value[0], depth + 1), value];
  if (!isObject(value)) return [value];
  const [name = '', ...others] = Object.keys(value).filter((key) => !ASIDES.includes(key));
  const isCall = CALLS.includes(name);
  const inner = others.length === 0 && (isCall || WRAPPERS.includes(name)) ? fromText(value[name]) : undefined;
  if (typeof inner !== 'object' || inner === null) return [value];
  const wrapped = withWrapped(inner, depth + 1);
  return isCall ? [...wrapped, value] : [value, ...wrapped];
}
