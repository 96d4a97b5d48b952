import { type JsonObject, ModelExtractor } from '@keepsake/core';
import { anthropicSchemaFault, geminiSchemaFault, openaiSchemaFault } from '@keepsake/emulators';
import { strictSchema, withoutStrictNulls } from '@keepsake/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ModelProfiler, ModelSummariser } from '../src/index.ts';
import { ProfileChanges } from '../src/profile/changes.ts';
import { TRAITS_SCHEMA } from '../src/profile/traits.ts';
import { ScriptedModel } from './support/scripted-model.ts';

const signal = new AbortController().signal;
const text = { type: 'string' };
const object = (properties: JsonObject, required: string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** Why providers refuse a schema. */
function faultsOf(schema: unknown): unknown[] {
  return [openaiSchemaFault(schema), anthropicSchemaFault(schema), geminiSchemaFault(schema)].filter(Boolean);
}

/** Schemas as libraries write them, also such that can't be strict. */
const { schema: anySchema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      text,
      { type: 'integer', minimum: 1, maximum: 9 },
      { type: ['string', 'null'], description: 'A text', maxLength: 20 },
      { enum: ['a', 'b', null] },
      { const: 7 },
      { type: 'string', enum: [''] },
      { type: 'boolean', default: false },
      {},
      { $ref: '#/$defs/name' },
      { $ref: '#/$defs/tree' },
      { type: 'object', additionalProperties: text },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.constant(2) }),
    fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    fc
      .dictionary(fc.constantFrom('name', 'city', 'a.b', '__proto__', 'constructor', 'changes'), tie('schema'))
      .chain((properties) =>
        fc.subarray(Object.keys(properties)).map((required) => object(properties as JsonObject, required)),
      ),
  ),
}));
const root = anySchema.map((schema) => ({
  ...schema,
  $defs: { name: text, tree: object({ children: { type: 'array', items: { $ref: '#/$defs/tree' } } }) },
}));

describe('a strict schema', () => {
  it('is accepted by all providers, whatever it is made from', () => {
    let count = 0;
    fc.assert(
      fc.property(root, (schema) => {
        const strict = strictSchema(schema);
        if (strict === undefined) return;
        count++;
        expect(faultsOf(strict)).toEqual([]);
        for (const removes of [true, false]) {
          const changes = ProfileChanges.of(schema, removes);
          if (changes !== undefined) expect(faultsOf(changes.schema)).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
    expect(count).toBeGreaterThan(50);
  });

  it('has references in place, and optional properties required but nullable', () => {
    const schema = { ...object({ name: { $ref: '#/$defs/name' }, age: { type: 'integer', minimum: 0 } }, ['name']) };
    expect(strictSchema({ ...schema, $defs: { name: { ...text, description: 'Their name' } } })).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Their name' },
        age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      },
      required: ['name', 'age'],
      additionalProperties: false,
    });
  });

  it.each<[string, JsonObject]>([
    ['a text', text],
    ['no fields', object({})],
    ['a dictionary', { type: 'object', additionalProperties: text }],
    ['a value of any type', object({ any: {} })],
    ['recursion', { $ref: '#/$defs/a', $defs: { a: object({ a: { $ref: '#/$defs/a' } }) } }],
    ['a reference to nothing', object({ a: { $ref: '#/$defs/a' } })],
    ['an external reference', object({ a: { $ref: 'https://example.com/a' } })],
    ['references in a circle', { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }],
    ['a tuple', object({ a: { type: 'array', prefixItems: [text] } })],
    ['more than 250 values', object({ a: { enum: Array.from({ length: 251 }, (_, n) => `${n}`) } }, ['a'])],
    [
      'more than 16 unions',
      object(Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`${n}`, { type: ['string', 'null'] }]))),
    ],
    [
      'more than 10 levels',
      Array.from({ length: 10 }).reduce<JsonObject>((inner) => object({ a: inner }, ['a']), text),
    ],
  ])('is not made for %s', (_, schema) => {
    expect(strictSchema(schema)).toBeUndefined();
  });

  it('is answered with null for what is missing, which is left out again', () => {
    const schema = object(
      {
        note: { type: ['string', 'null'] },
        people: { type: 'array', items: object({ name: text, age: { type: 'integer' } }, ['name']) },
        pet: { anyOf: [{ type: 'null' }, object({ name: text, kind: text }, ['name'])] },
      },
      ['note'],
    );
    const answer = { note: null, people: [{ name: 'Ada', age: null }], pet: { name: 'Miso', kind: null } };
    expect(withoutStrictNulls(answer, schema)).toEqual({
      note: null,
      people: [{ name: 'Ada' }],
      pet: { name: 'Miso' },
    });
    expect(withoutStrictNulls({ note: 'x', people: null, pet: null }, schema)).toEqual({ note: 'x' });
  });
});

it('every schema that is sent is accepted by all providers', async () => {
  const model = new ScriptedModel({ changes: [], summary: 'A.' });
  const batch = { messages: [], observedAt: '2026-03-02T10:00:00.000Z', known: [], canRevise: true, signal };
  await new ModelExtractor({ model }).extract(batch);
  await new ModelExtractor({ model }).extract({ ...batch, canRevise: false });
  await new ModelSummariser({ model }).summarise({ previous: undefined, said: [], signal });
  const wide = z.object(
    Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`trait_${n}`, z.string().optional()])),
  );
  for (const schema of [TRAITS_SCHEMA, z.toJSONSchema(wide, { io: 'input' }) as JsonObject])
    for (const mode of ['update', 'replace'] as const)
      await new ModelProfiler({ model }).analyse({ ...PROFILE, schema, mode });
  const schemas = model.requests.map(({ schema }) => schema);
  expect(schemas).not.toContain(undefined);
  expect(schemas.map(faultsOf)).toEqual(schemas.map(() => []));
});

const PROFILE = {
  known: {},
  said: [{ role: 'user', text: 'Hi' }],
  tools: [],
  newKeys: undefined,
  mode: 'update',
  signal,
} as const;

describe('the answer of a profiler with a schema', () => {
  const schema = object({
    name: text,
    address: object({ city: text, zip: text }),
    likes: { type: 'array', items: text },
    jobs: { type: 'array', items: object({ title: text, until: text }, ['title']) },
    'a.b': text,
  });
  const read = (answer: object, wanted: JsonObject = schema) =>
    new ModelProfiler({ model: new ScriptedModel(answer) }).analyse({ ...PROFILE, schema: wanted });

  it('is a list of changes, by the names of fields and inner fields', async () => {
    const changes = [
      { field: 'name', value: 'Ada' },
      { field: 'address.city', value: 'Lisbon' },
      { field: 'address.zip', value: null },
      { field: 'likes', value: ['tea'] },
      { field: 'jobs', value: [{ title: 'baker', until: null }] },
      { field: 'a.b', value: 'x' },
    ];
    const patch = {
      name: 'Ada',
      address: { city: 'Lisbon', zip: null },
      likes: ['tea'],
      jobs: [{ title: 'baker' }],
      'a.b': 'x',
    };
    expect(await read({ changes })).toEqual(patch);
    expect(await read({ changes: JSON.stringify(changes) })).toEqual(patch);
    expect(await read({ changes: [] })).toEqual({});
  });

  it.each<[string, object, object]>([
    ['the list alone', [{ field: 'name', value: 'Ada' }], { name: 'Ada' }],
    ['one change alone', { field: 'name', value: 'Ada' }, { name: 'Ada' }],
    ['one change in place of the list', { changes: { field: 'name', value: 'Ada' } }, { name: 'Ada' }],
    ['an unknown field, which is refused later', { changes: [{ field: 'no', value: 1 }] }, { no: 1 }],
    ['entries of which some are no changes', { changes: ['x', { field: 'name', value: 'Ada' }] }, { name: 'Ada' }],
    [
      'a name of every object',
      { changes: [{ field: '__proto__', value: { a: 1 } }] },
      JSON.parse('{"__proto__":{"a":1}}'),
    ],
    ['an object with the fields', { name: 'Ada', likes: null }, { name: 'Ada', likes: null }],
  ])('may be %s', async (_, answer, patch) => {
    expect(await read(answer)).toEqual(patch);
  });

  it('is refused if no entry of it is a change', async () => {
    const changes = ['name', { field: 7, value: 1 }, { field: 'name' }];
    await expect(read({ changes })).rejects.toMatchObject({ code: 'BACKEND' });
  });

  it.each<[string, JsonObject, object]>([
    [
      'that has a field of the same name',
      object({ changes: text, field: text }),
      { changes: 'weekly', field: 'maize' },
    ],
    ['with a dictionary', object({ pets: { type: 'object', additionalProperties: text } }), { pets: { miso: 'cat' } }],
    ['whose names can not be told apart', object({ 'a.b': text, a: object({ b: text }) }), { a: { b: 'x' } }],
  ])('is an object with the fields for a schema %s, which is not sent', async (_, wanted, answer) => {
    const model = new ScriptedModel(answer);
    expect(await new ModelProfiler({ model }).analyse({ ...PROFILE, schema: wanted })).toEqual(answer);
    expect(model.requests[0]).not.toHaveProperty('schema');
    expect(model.requests[0]?.system).toContain(JSON.stringify(wanted));
  });
});
