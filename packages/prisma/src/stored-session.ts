import type { Database, Dialect, Statement } from './database.ts';
import { NOW_MS, openDatabase, reading, writing } from './database.ts';
import { postgresSessions } from './postgres-sessions.ts';
import type { PrismaLike } from './prisma-client.ts';
import type { AddOptions, Place, SessionChange, SessionState, SessionWriter, StoredItem } from './session-changes.ts';
import { sqliteSessions } from './sqlite-sessions.ts';

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
  readonly snapshot: Statement;
  readonly calls: Statement;
  readonly touch: Statement;
  readonly dropExpired: Statement;
  readonly remove: Statement;
}

const STATEMENTS: Readonly<Record<Dialect, Statements>> = {
  postgresql: statementsOf('postgresql'),
  sqlite: statementsOf('sqlite'),
};

function statementsOf(dialect: Dialect): Statements {
  const now = NOW_MS[dialect];
  const alive = `(expires_ms IS NULL OR expires_ms > ${now})`;
  const items = `FROM keepsake_sessions AS s JOIN keepsake_items AS i ON i.session_key = s.key WHERE s.id = $1 AND ${alive}`;
  const contains = {
    postgresql: 'EXISTS (SELECT FROM unnest($2::text[]) AS part WHERE strpos(i.item, part) > 0)',
    sqlite: 'EXISTS (SELECT 1 FROM json_each($2) AS part WHERE instr(i.item, part.value) > 0)',
  }[dialect];
  return {
    newest: reading(dialect, `SELECT i.seq, i.item ${items} ORDER BY i.seq DESC LIMIT $2`),
    all: reading(dialect, `SELECT i.seq, i.item ${items} ORDER BY i.seq`),
    snapshot: reading(
      dialect,
      `SELECT s.key, s.version, s.last_seq, i.seq, i.item,
        (SELECT digest FROM keepsake_operations WHERE session_key = s.key AND operation_id = $3) AS digest
      FROM keepsake_sessions AS s LEFT JOIN keepsake_items AS i ON i.session_key = s.key
      WHERE s.id = $1 AND ${alive} ORDER BY i.seq DESC LIMIT $2`,
    ),
    calls: reading(
      dialect,
      `SELECT s.key, s.version, s.last_seq, i.seq, i.item, NULL AS digest ${items} AND ${contains} ORDER BY i.seq DESC`,
    ),
    touch: writing(dialect, `UPDATE keepsake_sessions SET expires_ms = ${now} + $2 WHERE id = $1 AND ${alive}`),
    dropExpired: writing(dialect, `DELETE FROM keepsake_sessions WHERE id = $1 AND expires_ms <= ${now}`),
    remove: writing(
      dialect,
      `DELETE FROM keepsake_sessions WHERE id = $1
      RETURNING CASE WHEN ${alive} THEN 1 ELSE 0 END AS alive`,
    ),
  };
}

/** More than any session has items, and than LIMIT of either database refuses. */
const ALL = Number.MAX_SAFE_INTEGER;

/** A session as it lies in the database: items are JSON texts. Each method is one statement, but where it says otherwise. */
export class StoredSession {
  readonly #prisma: PrismaLike;
  readonly #place: Place;

  constructor(prisma: PrismaLike, place: Place) {
    this.#prisma = prisma;
    this.#place = place;
  }

  /** The newest items, so many of them, oldest first. */
  async newest(count: number): Promise<StoredItem[]> {
    const { database, statements } = await this.#open();
    const { sessionId } = this.#place;
    const rows =
      count === Infinity
        ? await database.query<SnapshotRow>(statements.all, [sessionId])
        : (await database.query<SnapshotRow>(statements.newest, [sessionId, Math.min(count, ALL)])).reverse();
    return rows.map(itemOf);
  }

  /** The session with its newest items, and what it remembers of an operation. */
  async snapshot(count: number, operationId: string | null = null): Promise<Snapshot> {
    const { database, statements } = await this.#open();
    const values = [this.#place.sessionId, Math.max(1, Math.min(count, ALL)), operationId];
    const snapshot = snapshotOf(await database.query<SnapshotRow>(statements.snapshot, values));
    return count === 0 ? { ...snapshot, items: [] } : snapshot;
  }

  /** The session with its items that contain any of some texts; without a state where there are none. */
  async containing(parts: readonly string[]): Promise<Snapshot> {
    const { database, statements } = await this.#open();
    const list = database.dialect === 'sqlite' ? JSON.stringify(parts) : parts;
    return snapshotOf(await database.query<SnapshotRow>(statements.calls, [this.#place.sessionId, list]));
  }

  /** Begins the time to live anew. */
  async touch(): Promise<void> {
    const { database, statements } = await this.#open();
    await database.execute(statements.touch, [this.#place.sessionId, this.#place.ttlMs]);
  }

  /** Adds items. Takes two statements more where the session has expired. */
  async add(items: readonly string[]): Promise<void> {
    const { writer } = await this.#open();
    while (!(await writer.add(this.#place, items))) await this.#dropExpired();
  }

  /** Adds items unless the session knows the operation, or with `ifNew` is there. Says whether it did. */
  async addUnless(items: readonly string[], options: AddOptions): Promise<boolean> {
    const { writer } = await this.#open();
    if (await writer.add(this.#place, items, options)) return true;
    return (await this.#dropExpired()) && writer.add(this.#place, items, options);
  }

  /** Whether the change was made: it is not where the session is another by now. */
  async change(change: SessionChange): Promise<boolean> {
    const { writer } = await this.#open();
    return writer.change(this.#place, change);
  }

  async clear(): Promise<void> {
    const { writer } = await this.#open();
    await writer.clear(this.#place);
  }

  /** Removes the session, and says whether it was there. */
  async remove(): Promise<boolean> {
    const { database, statements } = await this.#open();
    const rows = await database.query<{ alive: number }>(statements.remove, [this.#place.sessionId]);
    return Number(rows[0]?.alive) === 1;
  }

  /** Removes the session if it has expired, and says whether it had. */
  async #dropExpired(): Promise<boolean> {
    const { database, statements } = await this.#open();
    return (await database.execute(statements.dropExpired, [this.#place.sessionId])) > 0;
  }

  async #open(): Promise<{ database: Database; statements: Statements; writer: SessionWriter }> {
    const database = await openDatabase(this.#prisma, 'sessions');
    const writer = database.dialect === 'sqlite' ? sqliteSessions(database) : postgresSessions(database);
    return { database, statements: STATEMENTS[database.dialect], writer };
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
