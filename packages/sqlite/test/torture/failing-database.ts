import type { SqliteDatabase, SqliteStatement } from '../../src/index.ts';

/** What happens in the place of a call of SQLite. */
interface Fault {
  /** The call that fails, counted from 0. */
  readonly call: number;
  /** The result code of SQLite. */
  readonly errcode: number;
}

/** A database of which one call fails, and how many calls there were. */
export interface FailingDatabase extends SqliteDatabase {
  calls: number;
  /** Set to let a call fail. */
  fault: Fault | undefined;
}

/** Wraps a database. Every call of it and of its statements is counted, and can fail in place of its work. */
export function failingDatabase(database: SqliteDatabase): FailingDatabase {
  const failing: FailingDatabase = {
    calls: 0,
    fault: undefined,
    exec: (sql) => counted(() => database.exec(sql)),
    prepare: (sql) => counted(() => failingStatement(database.prepare(sql))),
  };

  function counted<T>(call: () => T): T {
    const { fault } = failing;
    if (failing.calls++ !== fault?.call) return call();
    throw Object.assign(new Error('injected'), { code: 'ERR_SQLITE_ERROR', errcode: fault.errcode });
  }

  function failingStatement(statement: SqliteStatement): SqliteStatement {
    return {
      all: (...values) => counted(() => statement.all(...values)),
      get: (...values) => counted(() => statement.get(...values)),
      run: (...values) => counted(() => statement.run(...values)),
    };
  }

  return failing;
}
