import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { PrismaStore } from '@keepsake/prisma';
import { RedisStore } from '@keepsake/redis';
import { SqliteStore } from '@keepsake/sqlite';
import {
  type Address,
  type Backend,
  openStore,
  type StoreClasses,
  storeBackends,
} from '@keepsake/suites/stores/backends';

const CLASSES: StoreClasses = { FileStore, InMemoryStore, PrismaStore, RedisStore, SqliteStore };

/** The backends of the tests. */
export const backends: readonly Backend[] = storeBackends(CLASSES);

/** Of these, only tests that a backend can change run by day. Every night, all tests do. */
const PART_BY_DAY = ['sqlite', 'redis', 'postgresql'];

/** The options of tests that a backend hardly changes. */
export function independent({ name }: Backend): { readonly tags?: 'nightly'[] } {
  return PART_BY_DAY.includes(name) ? { tags: ['nightly'] } : {};
}

/** Opens the store at an address, in any process. */
export const openAt = (address: Address) => openStore(CLASSES, address);
