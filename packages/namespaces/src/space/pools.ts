import { formatNamespace, type Namespace } from '@keepsake/core';
import { expect, expectKnownFields } from '@keepsake/core/adapter';
import { isObject, quoted } from '@keepsake/internal';
import { asPrincipal, checkGrantees, type Grantee, isGranted } from './principal.ts';
import { POOL, type PoolAccess } from './space-options.ts';
import type { Template } from './template.ts';

/** A validated pool. */
export interface Pool {
  readonly name: string;
  readonly namespace: Namespace;
  readonly readers: readonly Grantee[];
  readonly writers: readonly Grantee[];
}

/** Adds a pool once, even if several agents declare it. */
export function addPool(poolsByName: Map<string, Pool>, template: Template, access: PoolAccess): Pool {
  const namespace = template.resolve({});
  const name = formatNamespace(namespace);
  expect(name.length <= 128, `${poolNamed(name)}: its name must have at most 128 characters.`);
  const pool = { name, namespace, ...readAccess(access, name) };
  const earlierPool = poolsByName.get(name);
  const same = earlierPool === undefined || JSON.stringify(earlierPool) === JSON.stringify(pool);
  expect(same, `${poolNamed(name)} has two access lists. Remove one.`);
  poolsByName.set(name, earlierPool ?? pool);
  return earlierPool ?? pool;
}

function readAccess(poolAccess: PoolAccess, name: string): Pick<Pool, 'readers' | 'writers'> {
  const what = poolNamed(name);
  expect(isObject(poolAccess), `${what} must be an object such as { readers: ['*'], writers: ['alice'] }.`);
  const access: PoolAccess = expectKnownFields(poolAccess, POOL, `pools[${quoted(name)}]`);
  const owner = access.owner === undefined ? [] : checkGrantees([access.owner], `${what}: owner`);
  expect(!owner.includes('*'), `${what}: its owner cannot be '*'. Use readers and writers.`);
  const readers = checkGrantees(access.readers ?? [], `${what}: readers`);
  const writers = checkGrantees(access.writers ?? [], `${what}: writers`);
  for (const writer of writers) {
    const reads = readers.includes('*') || (writer !== '*' && isGranted([...readers, ...owner], asPrincipal(writer)));
    expect(reads, `${what}: every writer must also be a reader. Add each writer to readers.`);
  }
  return { readers: [...readers, ...owner], writers: [...writers, ...owner] };
}

/** A pool in an error message. */
export function poolNamed(name: string): string {
  return `Pool ${quoted(name)}`;
}
