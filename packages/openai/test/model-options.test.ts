import { expect, it } from 'vitest';
import { openaiEmbedder, openaiModel } from '../src/index.ts';

const create = async () => ({});
const client = { responses: { create }, embeddings: { create } };
const INVALID = [
  [{ client: undefined }, 'client'],
  [{ client: 'https://api.openai.com' }, 'client'],
  [{ client: { responses: {}, embeddings: { create: true } } }, 'client'],
  [{ model: undefined }, 'model'],
  [{ model: '' }, 'model'],
  [{ model: { id: 'gpt-5-mini' } }, 'model'],
] as const;

it.each(
  INVALID.flatMap(([invalid, field]) => [
    ['openaiModel', () => openaiModel({ client, model: 'm', ...invalid } as never), invalid, field] as const,
    [
      'openaiEmbedder',
      () => openaiEmbedder({ client, model: 'm', dimensions: 3, ...invalid } as never),
      invalid,
      field,
    ] as const,
  ]),
)('%s refuses an invalid option when it is created', (_, make, __, field) => {
  expect(make).toThrow(
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining(`\`${field}\``) }),
  );
});
