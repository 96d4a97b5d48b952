import { expect, expectFields } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { KeepsakeConfig } from './config.ts';

const FIELDS = {
  memory: 'function',
  sessions: 'function',
  space: [isObject, 'an object'],
  conversations: [isObject, 'an object'],
  workspace: 'function',
  embedder: 'function',
  model: 'function',
  close: 'function',
} as const satisfies Record<keyof KeepsakeConfig, unknown>;

/** Throws `INVALID_ARGUMENT` for missing, unknown and invalid fields. Returns a copy. */
export function checkConfig(config: KeepsakeConfig): KeepsakeConfig {
  const fields = expectFields(config, '', FIELDS);
  expect(fields.memory, '`memory` is missing. It must be a function that returns a record store.');
  return fields;
}
