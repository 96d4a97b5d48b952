import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Value } from './connection.ts';
import { PATIENCE_MS } from './patience.ts';
import { toMemoryError } from './sqlite-errors.ts';

/** What the thread answers. */
interface Answer {
  readonly isAlone?: boolean;
  readonly failure?: { readonly message: string; readonly errcode?: number };
}

/** As text, so that bundlers need not know about a second file. */
const CODE = `
const { parentPort, workerData } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const { file, pragmas, sql, values } = workerData;
try {
  const database = new DatabaseSync(file);
  database.exec(pragmas);
  const version = () => database.prepare('PRAGMA data_version').get().data_version;
  const before = version();
  database.prepare(sql).run(...values);
  parentPort.once('message', () => {
    parentPort.postMessage({ isAlone: version() === before });
    database.close();
  });
  parentPort.postMessage({});
} catch ({ message, errcode }) {
  parentPort.postMessage({ failure: { message, errcode } });
}`;

// The busy timeout blocks only that thread.
const PRAGMAS = `PRAGMA busy_timeout = ${PATIENCE_MS}; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON`;

/**
 * Runs a long statement on a thread and a connection of its own, so that the event loop goes on.
 *
 * @param whenDone is called after the statement, while nothing else on that connection has run
 * @returns whether no other connection has changed the file between the statement and the end of `whenDone`, nor shortly
 *   before
 */
export async function inBackground(
  file: string,
  sql: string,
  values: readonly Value[],
  whenDone: () => Promise<void> = async () => {},
): Promise<boolean> {
  const worker = new Worker(CODE, {
    eval: true,
    workerData: { file, pragmas: PRAGMAS, sql, values },
    // No flags of this process, such as loaders. The warning that SQLite is experimental was printed before.
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  // Its last answer and its end can arrive together.
  const end = new Promise((resolve) => worker.once('exit', resolve));
  try {
    await answerOf(worker);
    await whenDone();
    worker.postMessage('');
    const { isAlone } = await answerOf(worker);
    await end;
    return isAlone === true;
  } finally {
    await worker.terminate();
  }
}

async function answerOf(worker: Worker): Promise<Answer> {
  const [answer] = (await once(worker, 'message')) as [Answer];
  const { failure } = answer;
  if (failure !== undefined) throw toMemoryError(Object.assign(new Error(failure.message), failure));
  return answer;
}
