import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';

/** @throws MemoryError `INVALID_ARGUMENT` unless `client` has this part of the API, and `model` is a name. */
export function checkModel(client: unknown, part: 'responses' | 'embeddings', model: unknown): void {
  const api = isObject(client) ? client[part] : undefined;
  expect(isObject(api) && typeof api.create === 'function', '`client` must be an OpenAI client.');
  expect(typeof model === 'string' && model !== '', '`model` must be the name of a model, such as `gpt-5-mini`.');
}
