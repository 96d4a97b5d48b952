import type { Worker } from 'node:worker_threads';
import type { Value } from '../database/connection.ts';
import { PATIENCE_MS } from '../database/patience.ts';
import { toMemoryError } from '../database/sqlite-errors.ts';
import { fromNode } from './from-node.ts';

type Row = Readonly<Record<string, unknown>>;

/** Runs a statement on the thread, and returns its first row. */
export type RunInBackground = (sql: string, ...values: Value[]) => Promise<Row | undefined>;

/** What the thread answers. */
interface Answer {
  readonly row?: Row;
  readonly failure?: { readonly message: string; readonly errcode?: number };
}

/** As text, so that bundlers need not know about a second file. The warning that SQLite is experimental was printed before. */
const CODE = `
process.removeAllListeners('warning');
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
let database;
parentPort.on('message', ({ sql, values }) => {
  try {
    if (database === undefined) {
      database = new DatabaseSync(workerData.file);
      database.exec(workerData.pragmas);
    }
    const row = sql && database.prepare(sql).get(...values);
    if (sql === undefined) database.close();
    parentPort.postMessage({ row });
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
  const { Worker } = fromNode('node:worker_threads');
  const worker = new Worker(CODE, {
    eval: true,
    workerData: { file, pragmas: PRAGMAS },
    // No flags of this process, such as loaders.
    execArgv: [],
  });
  try {
    const result = await work((sql, ...values) => answerOf(worker, { sql, values }));
    // Closes the database.
    await answerOf(worker, {});
    return result;
  } finally {
    await worker.terminate();
  }
}

async function answerOf(worker: Worker, statement: { readonly sql?: string; readonly values?: Value[] }) {
  const answers = fromNode('node:events').once(worker, 'message');
  worker.postMessage(statement);
  const [{ row, failure }] = (await answers) as [Answer];
  if (failure !== undefined) throw toMemoryError(Object.assign(new Error(failure.message), failure));
  return row;
}
