import { expect, it } from 'vitest';
import { isObject, jsonAnswers, schemaAnswer } from '../src/index.ts';

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
  expect(jsonAnswers({ text: '[{"a":1}]' })).toEqual([{ a: 1 }, [{ a: 1 }]]);
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
const LONG = 10_000_000;

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
  const wrapped = `${'{"answer":'.repeat(2000)}1${'}'.repeat(2000)}`;
  expect(jsonAnswers({ text: wrapped }).length).toBeLessThan(20);
});
