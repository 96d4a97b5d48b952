import { finish, pause, SharedTurn, type Steps } from '@keepsake/internal';
import type { Connection, Connections } from './connection.ts';
import { Patience } from './patience.ts';
import { isBusy, toMemoryError } from './sqlite-errors.ts';
import { atOnceBy, longTransaction, TooLong, transaction } from './transaction.ts';

/** How long the changes of one transaction take, unless a single one takes longer. The event loop turns afterwards. */
const STEP_MS = 10;
/** After changes that took longer than this, such as a wait for the disk, the event loop turns before the next ones. */
const SHORT_MS = 3;
/** Between two transactions, for other processes that wait for the lock. */
const GAP_MS = 1;

/** A change that a call waits for. */
interface Change {
  readonly work: (connection: Connection) => unknown;
  /** The same work, if it may be too long for one step. */
  readonly long: ((connection: Connection) => Steps<unknown>) | undefined;
  /** Whether it is too long, as far as that is known. */
  isLong: boolean;
  patience: Patience;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes the changes of a database in the order of the calls. Those that wait at the same time share the lock, the
 * transaction and the wait for the disk, but not their failures.
 */
export class ChangeQueue {
  readonly #connections: Connections;
  readonly #afterChanges: () => Promise<unknown> | undefined;
  readonly #turn = new SharedTurn(SHORT_MS);
  readonly #changes: Change[] = [];
  /** How many changes have a transaction each, because one with all of them failed. */
  #alone = 0;
  #isRunning = false;
  #held: Promise<void> | undefined;
  /** The changes that are being made, over several turns of the event loop. */
  #current: Promise<unknown> | undefined;

  /** @param afterChanges is called after each transaction. The next one waits for what it returns. */
  constructor(connections: Connections, afterChanges: () => Promise<unknown> | undefined) {
    this.#connections = connections;
    this.#afterChanges = afterChanges;
  }

  /** Makes all changes of `work`, or none if it throws. */
  add<T>(work: (connection: Connection) => T): Promise<T> {
    return this.#add({ work, long: undefined, isLong: false });
  }

  /**
   * The same for work that may be too long for one step. Then the event loop turns meanwhile, with a connection for such
   * changes, and nobody sees any of them until all are made. `isLong` says that it is too long; otherwise it is tried.
   */
  addLong<T>(long: (connection: Connection) => Steps<T>, isLong: boolean): Promise<T> {
    if (this.#connections.apart === undefined) return this.add((connection) => finish(long(connection)));
    const work = (connection: Connection) => atOnceBy(performance.now() + STEP_MS, long(connection));
    return this.#add({ work, long, isLong });
  }

  /** Lets changes wait until `work` is done, one such work at a time. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    while (this.#held !== undefined) await this.#held;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    await this.#current;
    try {
      const result = await work();
      // Until now they have not waited for others.
      for (const change of this.#changes) change.patience = new Patience();
      return result;
    } finally {
      this.#held = undefined;
      resolve();
    }
  }

  #add<T>(change: Pick<Change, 'work' | 'long' | 'isLong'>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#changes.push({ ...change, patience: new Patience(), resolve: resolve as Change['resolve'], reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Calls that were made at the same time arrive meanwhile.
    await this.#turn.wait;
    while (this.#changes[0] !== undefined) {
      while (this.#held !== undefined) await this.#held;
      const isLocked = !(await this.#makeNext());
      const next: Change | undefined = this.#changes[0];
      if (isLocked) await next?.patience.pause();
      else if (next !== undefined) await pause(GAP_MS, undefined);
    }
    this.#isRunning = false;
  }

  /** Makes the next changes in one transaction, and tells their calls. Returns `false` if another connection has the lock. */
  async #makeNext(): Promise<boolean> {
    const next = this.#next();
    try {
      const outcomes = await this.#make(next);
      this.#changes.splice(0, outcomes.length);
      for (const tell of outcomes) tell();
    } catch (error) {
      if (isBusy(error)) {
        this.#giveUp(error);
        return false;
      }
      if (error instanceof TooLong) return true;
      if (next.length > 1) {
        this.#alone = next.length;
        return true;
      }
      this.#changes.shift()?.reject(toMemoryError(error));
    }
    if (this.#alone > 0) this.#alone--;
    await this.#afterChanges();
    return true;
  }

  /** The changes to make in one transaction, at least one. One that takes long has a transaction of its own. */
  #next(): readonly Change[] {
    const long = this.#changes.findIndex(({ isLong }) => isLong);
    if (this.#alone > 0 || long === 0) return this.#changes.slice(0, 1);
    return this.#changes.slice(0, long < 0 ? undefined : long);
  }

  /** Makes as many changes as fit into a step. Returns what tells each call its outcome. */
  #make(changes: readonly Change[]): Outcomes | Promise<Outcomes> {
    const [first] = changes as readonly [Change];
    const { apart, usual } = this.#connections;
    if (!first.isLong || first.long === undefined || apart === undefined) return makeTogether(usual(), changes);
    const made = longTransaction(apart(), first.long).then((result) => [() => first.resolve(result)]);
    this.#current = made.then(
      () => {},
      () => {},
    );
    return made;
  }

  /** Rejects the calls that have waited long enough for a lock. */
  #giveUp(error: unknown): void {
    while (this.#changes[0]?.patience.isOver) {
      this.#changes.shift()?.reject(toMemoryError(error));
      if (this.#alone > 0) this.#alone--;
    }
  }
}

/** What tells each call of some changes its outcome. */
type Outcomes = readonly (() => void)[];

/** Makes at least one change, and as many as fit into a step. */
function makeTogether(connection: Connection, changes: readonly Change[]): Outcomes {
  return transaction(connection, 'BEGIN IMMEDIATE', () => {
    // Cloudflare writes transactions together, and takes no SAVEPOINT.
    const next = connection.isManaged ? changes.slice(0, 1) : changes;
    const make = next.length === 1 ? makeAlone : makeWithin;
    const outcomes: (() => void)[] = [];
    const end = performance.now() + STEP_MS;
    for (const change of next) {
      if (outcomes.length > 0 && performance.now() > end) break;
      try {
        outcomes.push(make(connection, change));
      } catch (error) {
        change.isLong = error instanceof TooLong;
        throw error;
      }
    }
    return outcomes;
  });
}

function makeAlone(connection: Connection, { work, resolve }: Change): () => void {
  const result = work(connection);
  return () => resolve(result);
}

/** Undoes a change that fails, and no other. Throws if the transaction as a whole has failed. */
function makeWithin(connection: Connection, change: Change): () => void {
  connection.run('SAVEPOINT keepsake_change');
  const tell = outcomeOf(connection, change);
  connection.run('RELEASE keepsake_change');
  return tell;
}

function outcomeOf(connection: Connection, change: Change): () => void {
  try {
    return makeAlone(connection, change);
  } catch (error) {
    if (isBusy(error) || error instanceof TooLong) throw error;
    connection.run('ROLLBACK TO keepsake_change');
    return () => change.reject(toMemoryError(error));
  }
}
