import { parseJson } from './parse-json.ts';

/** The input of a tool call that a model wrote as JSON, or the text as it is if the model got the JSON wrong. */
export function readToolInput<Json>(text: string): Json | string {
  const value = parseJson(text);
  return value === undefined ? text : (value as Json);
}
