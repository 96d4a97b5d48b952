import { strictSchema } from '@keepsake/internal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropicSchemaFault, geminiSchemaFault, openaiSchemaFault } from '../src/index.ts';

type Schema = Record<string, unknown>;

const faults = (schema: object) => ({
  openai: openaiSchemaFault(schema),
  gemini: geminiSchemaFault(schema),
  anthropic: anthropicSchemaFault(schema),
});
const NONE = { openai: undefined, gemini: undefined, anthropic: undefined };

const object = (properties: Schema, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = { type: 'string' };
const nested = (levels: number): Schema => (levels === 1 ? text : object({ a: nested(levels - 1) }));
const fields = (count: number, field: Schema) =>
  object(Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, field])));

describe('the services refuse', () => {
  const maybe = { anyOf: [text, { type: 'null' }] };

  it.each<[what: string, schema: object, refusing: readonly string[]]>([
    ['another root', { type: 'array', items: text }, ['openai']],
    ['a union as the root', { anyOf: [object({ a: text })] }, ['openai']],
    ['an optional property', object({ a: text }, []), ['openai']],
    ['other properties', { ...object({ a: text }), additionalProperties: true }, ['openai', 'anthropic']],
    ['an object without properties', object({ a: object({}) }), ['gemini']],
    ['a property without a type', object({ a: {} }), ['openai', 'gemini']],
    ['an array without items', object({ a: { type: 'array' } }), ['openai', 'gemini']],
    ['several types', object({ a: { type: ['string', 'null'] } }), ['gemini']],
    ['a list of numbers', object({ a: { type: 'integer', enum: [1] } }), ['gemini']],
    ['an empty text in a list', object({ a: { type: 'string', enum: ['', 'b'] } }), ['gemini']],
    ['null in a list', object({ a: { type: 'string', enum: ['b', null] } }), ['gemini']],
    ['oneOf', object({ a: { type: 'string', oneOf: [text] } }), ['openai', 'gemini', 'anthropic']],
    ['a minimum', object({ a: { type: 'number', minimum: 1 } }), ['anthropic']],
    ['a pattern', object({ a: { type: 'string', pattern: 'a' } }), ['anthropic']],
    ['a default', object({ a: { type: 'string', default: 'a' } }), ['openai']],
    ['a constant', object({ a: { type: 'string', const: 'a' } }), ['gemini']],
    ['recursion', object({ a: { $ref: '#' } }), ['gemini', 'anthropic']],
    ['11 levels', nested(11), ['openai']],
    ['17 unions', fields(17, maybe), ['anthropic']],
    ['25 optional properties', { ...fields(25, text), required: [] }, ['openai', 'anthropic']],
    ['a union of objects alike', object({ a: { anyOf: [object({ b: text }), object({ b: maybe })] } }), ['openai']],
  ])('%s', (_, schema, refusing) => {
    const refused = Object.entries(faults(schema)).filter(([, fault]) => fault !== undefined);
    expect(refused.map(([name]) => name)).toEqual(refusing);
  });

  it('nothing that is within the limits', () => {
    expect(faults(nested(10))).toEqual(NONE);
    expect(faults(fields(16, maybe))).toEqual(NONE);
    const tagged = (tag: string) => object({ kind: { type: 'string', enum: [tag] }, value: text });
    expect(faults(object({ a: { anyOf: [tagged('x'), tagged('y'), object({ z: text })] } }))).toEqual(NONE);
  });
});

const scalar = fc.constantFrom<Schema>(
  text,
  { type: 'number', minimum: 1, description: 'A number' },
  { type: ['string', 'null'], enum: ['a', 'b', null] },
  { type: 'integer', enum: [1, 2] },
  { enum: ['', 'b', 3, true, null] },
  { const: 'c', title: 'C' },
  { type: 'boolean', default: true },
  { type: 'string', format: 'email', pattern: '@', description: '' },
  { $ref: '#/$defs/place' },
  { allOf: [{ $ref: '#/$defs/place' }], description: 'Where they live' },
);
const inexpressible = fc.constantFrom<Schema>(
  {},
  { type: 'object' },
  { type: 'object', additionalProperties: text },
  { type: 'object', propertyNames: text, additionalProperties: { type: 'number' } },
  { type: 'array' },
  { type: 'array', prefixItems: [text], items: false },
  { $ref: '#' },
  { $ref: '#/$defs/tree' },
  { $ref: '#/$defs/none' },
  { $ref: 'https://example.com/schema' },
  { allOf: [object({ a: text }), object({ b: text })] },
  { enum: [] },
  { const: { a: 1 } },
  { type: 'date' },
);
const name = fc.constantFrom('a', 'b_c', 'kind', '__proto__', 'constructor', 'x.y');
const of = (leaf: fc.Arbitrary<Schema>) =>
  fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
    object: fc
      .record({
        fields: fc.uniqueArray(fc.tuple(name, tie('schema'), fc.boolean()), {
          minLength: 1,
          maxLength: 4,
          selector: ([key]) => key,
        }),
        more: fc.constantFrom(
          {},
          { additionalProperties: false },
          { additionalProperties: true },
          { minProperties: 1 },
        ),
      })
      .map(({ fields, more }) => ({
        type: 'object',
        properties: Object.fromEntries(fields.map(([key, schema]) => [key, schema])),
        required: fields.filter(([, , isRequired]) => isRequired).map(([key]) => key),
        ...more,
      })),
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      leaf,
      tie('schema').map((items): Schema => ({ type: 'array', items, minItems: 2 })),
      tie('object'),
      fc.array(tie('schema'), { minLength: 1, maxLength: 3 }).map((anyOf): Schema => ({ anyOf })),
      fc.array(leaf, { minLength: 1, maxLength: 3 }).map((oneOf): Schema => ({ oneOf, description: 'One of these' })),
    ),
  })).object;
const $defs = {
  place: object({ city: text, street: text }, ['city']),
  tree: object({ below: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
};

describe('a strict schema', () => {
  it('is accepted by all services, and its own strict schema', () => {
    let count = 0;
    fc.assert(
      fc.property(of(fc.oneof({ weight: 30, arbitrary: scalar }, inexpressible)), (schema) => {
        const strict = strictSchema({ ...schema, $defs });
        if (strict === undefined) return;
        count++;
        expect(faults(strict)).toEqual(NONE);
        expect(strictSchema(strict)).toEqual(strict);
      }),
      { numRuns: 1_000 },
    );
    expect(count).toBeGreaterThan(300);
  });

  it('does not change what it is made from', () => {
    fc.assert(
      fc.property(of(scalar), (schema) => {
        const before = JSON.stringify(schema);
        strictSchema(schema);
        expect(JSON.stringify(schema)).toBe(before);
      }),
    );
  });

  it('describes optional properties as nullable, and leaves out restrictions', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: {
        name: { type: 'string', minLength: 1, description: 'What they are called' },
        age: { type: 'integer', minimum: 0, default: 30 },
        diet: {
          description: 'What they eat',
          oneOf: [{ const: 'vegan' }, { type: 'string', enum: ['none', 'vegan'] }],
        },
        home: { $ref: '#/definitions/place', description: 'Where they live' },
      },
      required: ['name'],
      definitions: $defs,
    };
    expect(strictSchema(schema)).toEqual(
      object({
        name: { type: 'string', description: 'What they are called' },
        age: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        diet: {
          description: 'What they eat',
          anyOf: [{ type: 'string', enum: ['vegan'] }, { type: 'string', enum: ['none', 'vegan'] }, { type: 'null' }],
        },
        home: {
          anyOf: [
            {
              ...object({ city: text, street: { anyOf: [text, { type: 'null' }] } }),
              description: 'Where they live',
            },
            { type: 'null' },
          ],
        },
      }),
    );
  });

  it.each<[what: string, schema: object]>([
    ['a list', { type: 'array', items: text }],
    ['a dictionary', object({ a: { type: 'object', additionalProperties: text } })],
    ['an object that may have any field', object({ a: { type: 'object' } })],
    ['recursion', { ...object({ a: { $ref: '#/$defs/tree' } }), $defs }],
    ['more than 10 levels', nested(11)],
    ['more than 16 unions', { ...fields(17, text), required: [] }],
    ['more than 1,000 values', fields(6, { enum: Array.from({ length: 200 }, (_, n) => `${n}`) })],
    ['references that double at each level', { ...object({ a: { $ref: '#/$defs/d0' } }), $defs: doubling(60) }],
    ['a name that is not ASCII', object({ naïve: text })],
    ['a long description', object({ a: { ...text, description: 'x'.repeat(15_000) } })],
    [
      'objects that a union does not tell apart',
      object({ a: { anyOf: [object({ b: text }), object({ b: object({ c: text }) })] } }),
    ],
  ])('is undefined for %s', (_, schema) => {
    expect(strictSchema(schema)).toBeUndefined();
  });
});

function doubling(levels: number): Schema {
  const next = (n: number) => (n === levels ? text : { $ref: `#/$defs/d${n + 1}` });
  const names = Array.from({ length: levels + 1 }, (_, n) => n);
  return Object.fromEntries(names.map((n) => [`d${n}`, { anyOf: [{ type: 'array', items: next(n) }, next(n)] }]));
}
