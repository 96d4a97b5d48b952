import { Appends } from './appends.ts';
import { type Database, type Dialect, NOW_MS, openDatabase, reading, type Statement, writing } from './database.ts';
import type { PrismaLike } from './prisma-client.ts';
import { addItems, changeSession, type SessionChange, type SessionState, type StoredItem } from './session-changes.ts';

/** What was read of a session at one moment. */
export interface Snapshot {
  /** What the session is; `undefined` where there is none. */
  readonly state?: SessionState;
  /** The newest items, so many as were asked for, oldest first. */
  readonly items: readonly StoredItem[];
  /** Of the operation that was asked for, if the session remembers it. */
  readonly digest?: string;
}

interface SnapshotRow {
  readonly key: number | bigint;
  readonly version: number | bigint;
  readonly last_seq: number | bigint;
  readonly digest: string | null;
  readonly seq: number | bigint | null;
  readonly item: string | null;
}

/** All the statements of a session, in a dialect. */
interface Statements {
  readonly newest: Statement;
  readonly all: Statement;
  readonly numbered: Statement;
  readonly snapshot: Statement;
  readonly calls: Statement;
  readonly touch: Statement;
  readonly remove: Statement;
}

/** More than any session has items, and than LIMIT of either database refuses. */
const ALL = Number.MAX_SAFE_INTEGER;

const STATEMENTS: Readonly<Record<Dialect, Statements>> = {
  postgresql: statementsOf('postgresql'),
  sqlite: statementsOf('sqlite'),
};

function statementsOf(dialect: Dialect): Statements {
  const now = NOW_MS[dialect];
  const alive = `(expires_ms IS NULL OR expires_ms > ${now})`;
  // Its items are a range of an index whichever way the planner looks at it, as a join would not be.
  const key = `(SELECT key FROM keepsake_sessions WHERE id = $1 AND ${alive})`;
  // Where PostgreSQL sees the number, it plans anew for each, which takes longer than the rest.
  const limit = dialect === 'postgresql' ? 'LIMIT (SELECT $2::bigint)' : 'LIMIT $2';
  const contains = {
    postgresql: 'EXISTS (SELECT FROM unnest($2::text[]) AS part WHERE strpos(item, part) > 0)',
    sqlite: 'EXISTS (SELECT 1 FROM json_each($2) AS part WHERE instr(item, part.value) > 0)',
  }[dialect];
  return {
    newest: reading(
      dialect,
      // One column: each costs Prisma as much as the database.
      `SELECT item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limit}`,
    ),
    all: reading(dialect, `SELECT item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq`),
    numbered: reading(
      dialect,
      `SELECT seq, item FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limit}`,
    ),
    snapshot: reading(
      dialect,
      `SELECT s.key, s.version, s.last_seq, newest.seq, newest.item,
        (SELECT digest FROM keepsake_operations WHERE session_key = s.key AND operation_id = $3) AS digest
      FROM keepsake_sessions AS s LEFT JOIN (
        SELECT * FROM keepsake_items WHERE session_key = ${key} ORDER BY seq DESC ${limit}
      ) AS newest ON newest.session_key = s.key
      WHERE s.id = $1 AND ${alive} ORDER BY newest.seq DESC`,
    ),
    calls: reading(
      dialect,
      `SELECT s.key, s.version, s.last_seq, calls.seq, calls.item, NULL AS digest
      FROM keepsake_sessions AS s JOIN (
        SELECT * FROM keepsake_items WHERE session_key = ${key} AND ${contains} ORDER BY seq DESC LIMIT ${ALL}
      ) AS calls ON calls.session_key = s.key
      WHERE s.id = $1 AND ${alive} ORDER BY calls.seq DESC`,
    ),
    touch: writing(dialect, `UPDATE keepsake_sessions SET expires_ms = ${now} + $2 WHERE id = $1 AND ${alive}`),
    remove: writing(
      dialect,
      `DELETE FROM keepsake_sessions WHERE id = $1
      RETURNING CASE WHEN ${alive} THEN 1 ELSE 0 END AS alive`,
    ),
  };
}

const POP = writing('postgresql', 'SELECT popped, is_sound FROM keepsake_pop_item($1, $2)');

/** A session as it lies in the database: items are JSON texts. Each method is one statement. */
export class StoredSession {
  readonly #prisma: PrismaLike;
  readonly #id: string;
  readonly #ttlMs: number | undefined;
  readonly #appends = new Appends(async (items) => {
    await addItems(await this.#database(), this.#id, this.#ttlMs, items);
  });

  constructor(prisma: PrismaLike, sessionId: string, ttlMs?: number) {
    this.#prisma = prisma;
    this.#id = sessionId;
    this.#ttlMs = ttlMs;
  }

  /** The texts of the newest items, so many of them, oldest first. */
  async newest(count: number): Promise<string[]> {
    if (count === Infinity) return (await this.#query<SnapshotRow>('all', [this.#id])).map(textOf);
    const rows = await this.#query<SnapshotRow>('newest', [this.#id, Math.min(count, ALL)]);
    return rows.reverse().map(textOf);
  }

  /** The newest items with their numbers, likewise. */
  async numbered(count: number): Promise<StoredItem[]> {
    const rows = await this.#query<SnapshotRow>('numbered', [this.#id, Math.min(count, ALL)]);
    return rows.reverse().map(itemOf);
  }

  /** The session with its newest items, and what it remembers of an operation. */
  async snapshot(count: number, operationId: string | null = null): Promise<Snapshot> {
    return snapshotOf(await this.#query<SnapshotRow>('snapshot', [this.#id, Math.min(count, ALL), operationId]));
  }

  /** The session with its items that contain any of some texts; without a state where there are none. */
  async containing(parts: readonly string[]): Promise<Snapshot> {
    const { dialect } = await this.#database();
    const list = dialect === 'sqlite' ? JSON.stringify(parts) : parts;
    return snapshotOf(await this.#query<SnapshotRow>('calls', [this.#id, list]));
  }

  /** Begins the time to live anew. */
  async touch(): Promise<void> {
    const database = await this.#database();
    await database.execute(STATEMENTS[database.dialect].touch, [this.#id, this.#ttlMs]);
  }

  /** Appends items, maybe together with those of other calls. */
  append(items: readonly string[]): Promise<void> {
    return this.#appends.add(items);
  }

  /**
   * Takes the newest item away, and gives its text; `null` where there is none. Gives `undefined`, and changes nothing, where
   * one has to look first: SQLite has no statement for it, and PostgreSQL leaves alone what it takes for damaged.
   */
  async pop(): Promise<string | null | undefined> {
    const database = await this.#database();
    if (database.dialect === 'sqlite') return undefined;
    const [row] = await database.query<{ popped: string | null; is_sound: boolean | null }>(POP, [
      this.#id,
      this.#ttlMs ?? null,
    ]);
    return row?.is_sound === false ? undefined : (row?.popped ?? null);
  }

  /** Whether the change was made: it is not where the session is not as it says. */
  async change(change: SessionChange): Promise<boolean> {
    return changeSession(await this.#database(), this.#id, { ttlMs: this.#ttlMs, ...change });
  }

  /** Removes all items and operation ids, where there is a session. */
  async clear(): Promise<void> {
    await this.change({ from: 0, forget: true, growth: 0 });
  }

  /** Removes the session, and says whether it was there. */
  async remove(): Promise<boolean> {
    const [row] = await this.#query<{ alive: number }>('remove', [this.#id]);
    return Number(row?.alive) === 1;
  }

  async #query<Row>(name: keyof Statements, values: readonly unknown[]): Promise<Row[]> {
    const database = await this.#database();
    return database.query<Row>(STATEMENTS[database.dialect][name], values);
  }

  #database(): Promise<Database> {
    return openDatabase(this.#prisma, 'sessions');
  }
}

/** Of rows that each hold the session and an item, the newest first; or only the session. */
function snapshotOf(rows: readonly SnapshotRow[]): Snapshot {
  const [first] = rows;
  if (first === undefined) return { items: [] };
  const { key, version, last_seq, digest } = first;
  return {
    state: { key: Number(key), version: Number(version), lastSeq: Number(last_seq) },
    items: rows
      .filter(({ seq }) => seq !== null)
      .map(itemOf)
      .reverse(),
    ...(digest === null ? {} : { digest }),
  };
}

function itemOf({ seq, item }: Pick<SnapshotRow, 'seq' | 'item'>): StoredItem {
  return { seq: Number(seq), text: item ?? '' };
}

function textOf({ item }: Pick<SnapshotRow, 'item'>): string {
  return item ?? '';
}
