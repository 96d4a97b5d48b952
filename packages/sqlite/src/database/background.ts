import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Value } from './connection.ts';
import { PATIENCE_MS } from './patience.ts';
import { toMemoryError } from './sqlite-errors.ts';

type Row = Readonly<Record<string, unknown>>;

/** Runs a statement on the thread, and returns its first row. */
export type RunInBackground = (sql: string, ...values: Value[]) => Promise<Row | undefined>;

/** What the thread answers. */
interface Answer {
  readonly row?: Row;
  readonly failure?: { readonly message: string; readonly errcode?: number };
}

/** As text, so that bundlers need not know about a second file. */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
let database;
parentPort.on('message', ({ sql, values }) => {
  try {
    if (database === undefined) {
      database = new DatabaseSync(workerData.file);
      database.exec(workerData.pragmas);
    }
    if (sql === undefined) {
      database.close();
      parentPort.close();
    } else {
      parentPort.postMessage({ row: database.prepare(sql).get(...values) });
    }
  } catch ({ message, errcode }) {
    parentPort.postMessage({ failure: { message, errcode } });
  }
});`;

// The busy timeout blocks only that thread.
const PRAGMAS = `PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON`;

/** Whether this process may have threads. With `--permission`, that needs `--allow-worker`. */
export function mayHaveThreads(): boolean {
  return process.permission?.has('worker') ?? true;
}

/** Lets `work` run long statements on a thread and a connection of its own, so that the event loop goes on. */
export async function inBackground<T>(file: string, work: (run: RunInBackground) => Promise<T>): Promise<T> {
  const worker = new Worker(CODE, {
    eval: true,
    workerData: { file, pragmas: PRAGMAS },
    // No flags of this process, such as loaders. The warning that SQLite is experimental was printed before.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const end = new Promise((resolve) => worker.once('exit', resolve));
  try {
    const result = await work((sql, ...values) => answerOf(worker, { sql, values }));
    worker.postMessage({});
    await end;
    return result;
  } finally {
    await worker.terminate();
  }
}

async function answerOf(worker: Worker, statement: { readonly sql: string; readonly values: Value[] }) {
  const answers = once(worker, 'message');
  worker.postMessage(statement);
  const [{ row, failure }] = (await answers) as [Answer];
  if (failure !== undefined) throw toMemoryError(Object.assign(new Error(failure.message), failure));
  return row;
}
