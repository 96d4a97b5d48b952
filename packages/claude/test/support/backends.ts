import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { PrismaStore } from '@keepsake/prisma';
import { RedisStore } from '@keepsake/redis';
import { SqliteStore } from '@keepsake/sqlite';
import { type Backend, type StoreClasses, storeBackends } from '@keepsake/suites/stores/backends';

const CLASSES: StoreClasses = { FileStore, InMemoryStore, PrismaStore, RedisStore, SqliteStore };

/** The backends of the tests. */
export const backends: readonly Backend[] = storeBackends(CLASSES);

/** By day, the tests run on the others. All databases pass the same kit for stores, which is what they are used through. */
const AT_NIGHT = ['sqlite', 'postgresql'];

/** The options of the tests on a backend. */
export function optionsOn({ name }: Backend): { readonly tags?: 'nightly'[] } {
  return AT_NIGHT.includes(name) ? { tags: ['nightly'] } : {};
}
