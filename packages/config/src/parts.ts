import type { Embedder, MemoryModel, RecordStore, SessionStore } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { isObject } from '@keepsake/internal';
import type { Workspace } from '@keepsake/workspace';

/** What the functions of a configuration return. */
export interface Parts {
  readonly memory: RecordStore;
  readonly sessions: SessionStore;
  readonly workspace: Workspace;
  readonly embedder: Embedder;
  readonly model: MemoryModel;
}

export type PartName = keyof Parts;

/** What each part is in words, and some of its methods. */
const PARTS: Readonly<Record<PartName, readonly [what: string, methods: readonly string[]]>> = {
  memory: ['a record store, such as new FileStore({ … })', ['put', 'list', 'search', 'within', 'close']],
  sessions: ['a session store, such as new FileSessionStore({ … })', ['open', 'list', 'delete']],
  workspace: ['a workspace, such as localDirectory(…)', ['read', 'write', 'append', 'list']],
  embedder: ['an embedder, such as openaiEmbedder({ … })', ['embed']],
  model: ['a model, such as openaiModel({ … })', ['generate']],
};

/** @throws MemoryError `INVALID_ARGUMENT` if a function of the configuration returned something else. */
export function checkPart<Name extends PartName>(name: Name, part: unknown, path: string): Parts[Name] {
  const [what, methods] = PARTS[name];
  const isPart = isObject(part) && methods.every((method) => typeof part[method] === 'function');
  expect(isPart, `\`${name}\` of ${path} must return ${what}.`);
  return part as unknown as Parts[Name];
}
