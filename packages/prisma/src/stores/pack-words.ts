import { LruMap } from '@keepsake/internal';
import { WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { Values } from '../database/statement.ts';
import type { NamespaceKey } from './namespace-key.ts';
import { packOnSqlite } from './pack-on-sqlite.ts';

/** On PostgreSQL: how many records a block of the index has. Up to this many are in none, and read for each search. */
const BLOCK_RECORDS = 2_048;
/** With long texts, a block ends after this many words: reading a text takes longer the more words it has. */
export const BLOCK_WORDS = 65_536;
/** More changed records than this have blocks written again: each search reads them. */
const MOST_CHANGED = 1_024;
/** After how many changes of a process it looks whether there is work. */
const CHANGES = 512;
/** So many characters count as a change: a block has fewer long texts. */
const CHARACTERS = 192;
/** In how many namespaces a process counts its changes. */
const MOST_NAMESPACES = 10_000;

interface Counted {
  changes: number;
}

const counted = new WeakMap<Database, LruMap<string, Counted>>();

/**
 * Counts changed records of a namespace and, when there are many, brings its index up to date.
 *
 * @param characters - The length of all their texts.
 */
export async function noteChanges(
  database: Database,
  namespace: NamespaceKey,
  records: number,
  characters = 0,
): Promise<void> {
  // In a transaction of the caller, locks would be held until its end.
  if (database.isTransaction) return;
  const ofDatabase = counted.get(database) ?? new LruMap<string, Counted>(MOST_NAMESPACES);
  counted.set(database, ofDatabase);
  const known = ofDatabase.getOrCreate(namespace.key, () => ({ changes: 0 }));
  known.changes += Math.max(records, characters / CHARACTERS);
  if (known.changes < CHANGES) return;
  known.changes = 0;
  // The change itself is done, so that a failure here is none of it. The next one tries again.
  await packAll(database, namespace, MOST_CHANGED).catch(() => {});
}

/** Writes blocks until there is nothing to do, or until others are in the way. */
export async function packAll(database: Database, namespace: NamespaceKey, mostChanged: number): Promise<void> {
  const steps = new WorkSteps(undefined);
  // SQLite does not let the event loop turn.
  while (await packOnce(database, namespace, mostChanged)) await steps.pause();
}

/** Does one step, and returns whether there may be others. */
async function packOnce(database: Database, namespace: NamespaceKey, mostChanged = MOST_CHANGED): Promise<boolean> {
  return (database.dialect === 'sqlite' ? packOnSqlite : packOnPostgres)(database, namespace, mostChanged);
}

async function packOnPostgres(database: Database, namespace: NamespaceKey, mostChanged: number): Promise<boolean> {
  const values = new Values(database.dialect);
  const sql = `SELECT keepsake_pack(${values.text(namespace.key)}, CAST(${values.whole(BLOCK_RECORDS)} AS integer),
    CAST(${values.whole(BLOCK_WORDS)} AS integer), CAST(${values.whole(mostChanged)} AS integer)) AS "packed"`;
  const [row] = await database.writeRows<{ readonly packed: boolean }>({ sql, values });
  return row?.packed === true;
}

/** Does one step for a search that found the index missing or behind. */
export async function catchUp(database: Database, namespace: NamespaceKey): Promise<void> {
  // Whoever may only read finds the same without.
  if (!database.isTransaction) await packOnce(database, namespace).catch(() => false);
}
