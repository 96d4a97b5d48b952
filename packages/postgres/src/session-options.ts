import type { FieldNames } from '@keepsake/core/adapter';
import { SQL_SESSION_OPTIONS, type SqlSessionOptions } from '@keepsake/sql';
import { POSTGRES_OPTIONS, type PostgresOptions } from './postgres-driver.ts';

/** How to open a {@link PostgresSessionStore}. */
export interface PostgresSessionStoreOptions extends SqlSessionOptions, PostgresOptions {}

/** The fields of {@link PostgresSessionStoreOptions}. */
export const SESSION_STORE_OPTIONS: FieldNames<PostgresSessionStoreOptions> = {
  ...SQL_SESSION_OPTIONS,
  ...POSTGRES_OPTIONS,
};
