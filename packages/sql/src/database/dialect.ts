/** The databases that Keepsake can use, under the names that `keepsake_meta` has. */
export type Dialect = 'postgresql' | 'sqlite';
