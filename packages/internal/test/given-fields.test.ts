import { describe, expect, it } from 'vitest';
import { givenFields } from '../src/index.ts';

const schema = {
  type: 'object',
  properties: {
    query: { type: 'string' },
    ids: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer' },
    minScore: { type: 'number' },
    exact: { type: 'boolean' },
    asOf: { type: 'string' },
    filter: { type: 'object', additionalProperties: {} },
    facts: {
      type: 'array',
      items: { type: 'object', properties: { name: { type: 'string' }, notes: { type: 'array' } }, required: ['name'] },
    },
  },
  required: ['query'],
};

describe('what a model gives a tool', () => {
  it.each<[string, unknown, unknown]>([
    ['as it should be', { query: 'tea', ids: ['a'], limit: 5 }, { query: 'tea', ids: ['a'], limit: 5 }],
    ['as JSON text', '{"query":"tea"}', { query: 'tea' }],
    ['with null for what is missing', { query: 'tea', ids: null, limit: null, filter: null }, { query: 'tea' }],
    ['with blanks for what is missing', { query: 'tea', asOf: '', ids: ' ', limit: '' }, { query: 'tea' }],
    ['with a list as text', { ids: '["a", "b"]' }, { ids: ['a', 'b'] }],
    ['with one value in place of a list', { ids: 'a' }, { ids: ['a'] }],
    ['with numbers in a list of texts', { ids: [1, '2'] }, { ids: ['1', '2'] }],
    ['with a number as text', { limit: '5', minScore: ' -0.5 ' }, { limit: 5, minScore: -0.5 }],
    ['with a text as number', { query: 2026 }, { query: '2026' }],
    ['with true and false as text', { exact: 'true' }, { exact: true }],
    ['with an object as text', { filter: '{"topic":"home","at":null}' }, { filter: { topic: 'home', at: null } }],
    ['with one object in place of a list', { facts: { name: 'a' } }, { facts: [{ name: 'a' }] }],
    [
      'with the same inside of lists',
      { facts: '[{"name":7,"notes":"x"},{"name":"b","notes":null}]' },
      { facts: [{ name: '7', notes: ['x'] }, { name: 'b' }] },
    ],
  ])('is read %s', (_, given, expected) => {
    expect(givenFields(given, schema)).toEqual(expected);
  });

  it.each<[string, unknown]>([
    ['a blank text that is required', { query: '' }],
    ['a number that is none', { limit: 'five' }],
    ['a number with more', { limit: '5 or 6' }],
    ['an infinite number for a text', { query: Infinity }],
    ['a number in place of true and false', { exact: '1' }],
    ['an object for a text', { query: { text: 'tea' } }],
    ['a text that is no object', { filter: 'topic' }],
    ['a field of its own', { query: 'tea', user: 'bob' }],
    ['a text', 'tea'],
    ['a list', ['tea']],
  ])('is left as it is, so that it is refused: %s', (_, given) => {
    expect(givenFields(given, schema)).toEqual(given);
  });

  it('is not changed itself', () => {
    const given = { query: 'tea', ids: null, facts: [{ name: 7 }] };
    const before = structuredClone(given);
    givenFields(given, schema);
    expect(given).toEqual(before);
  });
});
