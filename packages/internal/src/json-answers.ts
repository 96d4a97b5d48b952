import { isObject } from './is-object.ts';
import { parseJson } from './parse-json.ts';

/**
 * The JSON values in a model's answer, most likely first: the object that the provider parsed, the whole text, the content
 * of a code fence, the text from the first brace to the last, and from the first bracket to the last. Models that do not
 * follow schemas put other words around the JSON.
 */
export function jsonAnswers(answer: { readonly text: unknown; readonly object?: unknown }): unknown[] {
  // The model is the caller's, so its answer may be anything.
  const { text, object } = isObject(answer) ? answer : {};
  return [object, ...(typeof text === 'string' ? partsOf(text).map(parseJson) : [])].filter(
    (value) => value !== undefined,
  );
}

function partsOf(text: string): string[] {
  const fence = text.indexOf('```');
  const fenced = fence < 0 ? '' : text.slice(fence + 3, text.lastIndexOf('```')).replace(/^\w*/, '');
  const between = (open: string, close: string) => text.slice(text.indexOf(open), text.lastIndexOf(close) + 1);
  // A list inside an object is only a part of the answer.
  const list = text.slice(0, text.indexOf('[')).includes('{') ? '' : between('[', ']');
  return [text, fenced, between('{', '}'), list];
}
