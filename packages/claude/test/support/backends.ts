import { FileStore } from '@keepsake/file';
import { InMemoryStore } from '@keepsake/in-memory';
import { PrismaStore } from '@keepsake/prisma';
import { RedisStore } from '@keepsake/redis';
import { SqliteStore } from '@keepsake/sqlite';
import { type Backend, type StoreClasses, storeBackends } from '@keepsake/suites/stores/backends';

const CLASSES: StoreClasses = { FileStore, InMemoryStore, PrismaStore, RedisStore, SqliteStore };

/** The backends of the tests. */
export const backends: readonly Backend[] = storeBackends(CLASSES);
