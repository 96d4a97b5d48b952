import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { isObject, jsonAnswers, listAnswer, objectAnswer, placeholder, schemaAnswer } from '../src/index.ts';

it.each([
  ['parsed by the provider', { text: 'no JSON', object: { a: 1 } }],
  ['the whole text', { text: ' {"a":1}\n' }],
  ['in a code fence', { text: 'Here:\n```json\n{"a":1}\n```\nDone with {this}.' }],
  ['in a code fence without a language', { text: '```\n{"a":1}\n```' }],
  ['among other text', { text: 'Sure! {"a":1} Anything else?' }],
])('finds an object: %s', (_, answer) => {
  expect(jsonAnswers(answer).find(isObject)).toEqual({ a: 1 });
});

it('prefers the object parsed by the provider over the text', () => {
  expect(jsonAnswers({ text: '{"a":2}', object: { a: 1 } })[0]).toEqual({ a: 1 });
});

it('finds a list among other text, but not one inside an object', () => {
  expect(jsonAnswers({ text: 'These: [1,2] only.' })).toEqual([[1, 2]]);
  expect(jsonAnswers({ text: 'Broken: {"a": [1,2]' })).toEqual([]);
});

it.each([
  ['a quotation mark in a text', '{"changes":[{"a":"called "Tide"."},{"b":1}]}'],
  ['a missing comma', '{"a":1 "b":{"c":1}}'],
  ['a draft before', '{"a":1}\n{"b":[{"c":1} {"d":1}]}'],
])('reads no part of an answer that is no JSON because of %s', (_, text) => {
  expect(jsonAnswers({ text })).toEqual([]);
});

it('reads no part of a value that is too deep', () => {
  const deep = `${'{"a":'.repeat(150)}1${'}'.repeat(150)}`;
  expect(jsonAnswers({ text: `It is ${deep}` })).toEqual([]);
});

it('finds what a list of one object has, and the list where the schema asks for one', () => {
  expect(objectAnswer({ text: '[{"a":1}]' }, ['a'])).toEqual({ a: 1 });
  expect(schemaAnswer({ text: '[{"a":1}]' }, { properties: { a: {} } })).toEqual({ a: 1 });
  expect(schemaAnswer({ text: '[{"a":1}]' }, { type: 'array' })).toEqual([{ a: 1 }]);
});

it.each([[null], [7], ['{"a":1}'], [[]]])('finds nothing in %j, which is no answer of a model', (answer) => {
  expect(jsonAnswers(answer as never)).toEqual([]);
});

it.each([[''], ['no JSON at all'], ['{"a":'], [undefined]])('finds nothing in %j', (text) => {
  expect(jsonAnswers({ text })).toEqual([]);
});

/** In each, a pattern or a recursion could need a stack as deep as the text, and a search a time that is not linear in it. */
const LONG = rounds(10_000_000, 2_000_000);

it.each([
  ['white space', `{${' '.repeat(LONG)}"a":1,}`, [{ a: 1 }]],
  ['a comment', `{/*${'a'.repeat(LONG)}*/"a":1,}`, [{ a: 1 }]],
  ['comments', `{${'//\n'.repeat(LONG / 10)}"a":1,}`, [{ a: 1 }]],
  ['a text', `{"a":"${'a'.repeat(LONG)}`, []],
  ['brackets', '['.repeat(LONG / 10), []],
  ['objects', '{"a":'.repeat(LONG / 20), []],
  ['backslashes', `{"${'\\'.repeat(LONG)}`, []],
  ['thoughts', '<think>'.repeat(LONG / 10), []],
  ['wrappers', `${'{"answer":'.repeat(LONG / 100)}1`, []],
  ['tokens', '<|a|>'.repeat(LONG / 10), []],
  ['escaped line feeds', `{${'\\n'.repeat(LONG / 2)}`, []],
  ['quotations', '> {\n'.repeat(LONG / 10), []],
  ['white space before a token', `${' '.repeat(LONG)}</s> x`, []],
  ['braces and white space', '{ '.repeat(LONG / 10), []],
])('reads long answers: %s', (_, text, expected) => {
  expect(jsonAnswers({ text })).toEqual(expected);
});

it('reads many values, the last first, and what few wrappers hold', () => {
  const answers = jsonAnswers({ text: `${'{}'.repeat(100_000)}{"a":1}` });
  expect([answers.length, answers[0]]).toEqual([100_001, { a: 1 }]);
  const wrapped = (depth: number) => ({ text: `${'{"answer":'.repeat(depth)}{"a":1}${'}'.repeat(depth)}` });
  expect(objectAnswer(wrapped(5), ['a'])).toEqual({ a: 1 });
  expect(objectAnswer(wrapped(2000), ['a'])).toBe(undefined);
});

const isItem = (value: unknown) => isObject(value) && 'b' in value;

it.each([
  ['objects on lines', '{"list":[{"b":1}]}\n'.repeat(LONG / 100)],
  ['lists that grow', '{"list":[1]}'.repeat(LONG / 100)],
  ['items on lines', '{"b":1}\n'.repeat(LONG / 100)],
  ['objects without the field', '{"c":{"d":[]}}\n'.repeat(LONG / 100)],
  ['objects and words', '{"b":1} and '.repeat(LONG / 100)],
  ['backticks', `{"b":1}${'`'.repeat(LONG)}{"b":2}`],
  ['tags', `{"b":1}${'<a'.repeat(LONG / 2)}{"b":2}`],
  ['fields', `{${Array.from({ length: LONG / 200 }, (_, index) => `"a${index}":{"c":"{}"}`)}}`],
  ['texts in texts', nested(12)],
])('ends its search for a list in long answers: %s', (_, text) => {
  const list = listAnswer({ text }, 'list', isItem);
  expect(list === undefined || Array.isArray(list)).toBe(true);
});

/** Each level doubles the backslashes. */
function nested(depth: number): string {
  let json = JSON.stringify({ c: 'x'.repeat(1_000_000) });
  for (let level = 0; level < depth; level++) json = JSON.stringify({ answer: json });
  return json;
}

it.each([
  ['the last, if words are between', '{"a":1} No: {"a":2}', { a: 2 }],
  ['one with all fields before one with some', '{"a":1,"c":2} I left out {"a":3}.', { a: 1, c: 2 }],
  ['the fields of all, if no words are between', '{"a":[1]}\n{"c":2}\n{"a":[1,3]}', { a: [1, 3], c: 2 }],
  ['one with a field before an empty one', '{"a":1} Else {}.', { a: 1 }],
  ['an empty one', 'Nothing: {}', {}],
  ['what a field of any name has', '{"x":{"y":{"a":1}},"z":{}}', { a: 1 }],
  ['nothing of two that are equally likely', '{"x":{"a":1},"y":{"a":2}}', undefined],
  ['nothing of an error', '{"error":{"a":1}}', undefined],
  ['nothing of a schema', '{"type":"object","properties":{"a":{"type":"string"},"c":{"type":["null"]}}}', undefined],
  ['the input of a call with fields of the same name', '{"name":"x","arguments":{"a":1}}', { a: 1 }],
])('chooses of the objects in an answer %s', (_, text, expected) => {
  expect(objectAnswer({ text }, text.includes('arguments') ? ['a', 'name'] : ['a', 'c'])).toEqual(expected);
});

it.each([
  ['of the field', '{"list":[{"b":1}]}', [{ b: 1 }]],
  ['of the field, before a remark with an item', '{"list":[{"b":1}]}\nI left out {"b":2}.', [{ b: 1 }]],
  ['of the field, before a remark with a list', '{"list":[{"b":1}]}\nI left out [{"b":2}].', [{ b: 1 }]],
  ['of the field of several objects', '{"list":[{"b":1}]}\n{"list":[{"b":2},{"b":1}]}', [{ b: 1 }, { b: 2 }]],
  ['of one item', '{"list":{"b":1}}', [{ b: 1 }]],
  ['in a text of lines', JSON.stringify({ list: '{"b":1}\n{"b":2}' }), [{ b: 1 }, { b: 2 }]],
  ['of nothing', '{"list":"None"}', []],
  ['alone', 'Here: [{"b":1},{"c":2}]', [{ b: 1 }, { c: 2 }]],
  ['alone, before a remark with an empty list', '[{"b":1}] Else: []', [{ b: 1 }]],
  ['alone and empty', '[]', []],
  ['in a field of any name', '{"found":[{"b":1},{"b":2}],"note":"x"}', [{ b: 1 }, { b: 2 }]],
  ['as lines of JSON', '{"b":1}\n{"b":2}\n', [{ b: 1 }, { b: 2 }]],
  ['as lines of JSON in a fence', 'Here:\n```jsonl\n{"b":1}\n{"b":2}\n```\nDone.', [{ b: 1 }, { b: 2 }]],
  ['as lines of JSON in fences', '```json\n{"b":1}\n```\n\n```json\n{"b":2}\n```', [{ b: 1 }, { b: 2 }]],
  ['as items of Markdown', '1. {"b":1}\n2. {"b":2}', [{ b: 1 }, { b: 2 }]],
  ['with commas, without brackets', '{"b":1},\n{"b":2}', [{ b: 1 }, { b: 2 }]],
  [
    'as calls',
    '<tool_call>{"name":"x","arguments":{"b":1}}</tool_call>\n<tool_call>{"name":"x","arguments":{"b":2}}</tool_call>',
    [{ b: 1 }, { b: 2 }],
  ],
  ['with what is no item', '{"b":1}\n{"c":2}', [{ b: 1 }, { c: 2 }]],
  ['not of items with words between', '{"b":1}\nI ignored this one: {"b":2}', undefined],
  ['not of two lists in an object', '{"new":[{"b":1}],"old":[{"b":2}]}', undefined],
  ['not of other objects', '{"c":1}\n{"c":2}', undefined],
])('reads the list %s', (_, text, expected) => {
  expect(listAnswer({ text }, 'list', isItem)).toEqual(expected);
  const schema = { properties: { list: { type: 'array', items: { properties: { b: {} } } } } };
  const object = schemaAnswer({ text }, schema);
  expect(listAnswer({ text, object }, 'list', isItem)).toEqual(expected);
});

it.each(['…', '-', '', 'string', '"String"'])('%j repeats the form of the answer', (text) => {
  expect(placeholder(text)).toBe('echo');
});

it.each([
  'null',
  'None',
  '(none)',
  'N/A',
  'No change',
  'No changes needed.',
  'unchanged',
  'Unknown',
  'Nothing to add.',
])('%j stands for nothing', (text) => expect(placeholder(text)).toBe('nothing'));

it.each([
  'None of the cats is called Miso.',
  'The user wants no change of their diet.',
  'The password is null',
  'Plays in a string quartet',
  'Nothing Phone 2',
  'Unknown Pleasures',
  'No',
  'Na',
  '7',
  'Sin',
])('%j is no placeholder', (text) => {
  expect(placeholder(text)).toBe(undefined);
});
