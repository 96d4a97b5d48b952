import { LruMap } from '@keepsake/internal';
import { MemoryError } from '../common/errors.ts';
import { addResults, type FlushResult } from './extraction/flush-result.ts';

/** The number of users whose managers are kept. */
const MAX_USERS = 1_000;
/** The number of users whose messages are saved at the same time. */
const PARALLEL = 8;
/** The number of busy managers to look at per use. */
const LOOKS = 10;

/** How a manager makes and looks after those of its users. */
interface UserManagersOptions<Manager> {
  readonly create: (user: string) => Manager;
  /** Whether it has nothing to save. */
  readonly isQuiet: (manager: Manager) => boolean;
  readonly close: (manager: Manager) => Promise<void>;
}

/**
 * The managers of users, for as long as they are in use: the most recently used, and those that have something to save,
 * whoever still holds them.
 */
export class UserManagers<Manager extends { flush(): Promise<FlushResult>; recover(): Promise<FlushResult> }> {
  readonly #options: UserManagersOptions<Manager>;
  readonly #recent = new LruMap<string, Manager>(MAX_USERS);
  /** Those that may have something to save, longest unused first. */
  readonly #busy = new Set<Manager>();
  /** Those that are saved early. */
  readonly #saving = new Set<Manager>();
  #isClosed = false;

  constructor(options: UserManagersOptions<Manager>) {
    this.#options = options;
  }

  at(user: string): Manager {
    this.#expectOpen();
    return this.#recent.getOrCreate(user, () => this.#options.create(user));
  }

  /** Keeps a manager until it is quiet. Call it before each message and write. */
  use(manager: Manager): void {
    this.#expectOpen();
    // Moves it to the end.
    this.#busy.delete(manager);
    this.#busy.add(manager);
    if (this.#busy.size > MAX_USERS) this.#letGo();
  }

  /** Saves everything of all users. */
  async flush(): Promise<FlushResult> {
    return addResults(await inParallel([...this.#busy], (manager) => manager.flush()));
  }

  /** Saves what earlier processes left of some users. */
  async recover(users: readonly string[]): Promise<FlushResult> {
    return addResults(await inParallel(users, (user) => this.at(user).recover()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...new Set([...this.#busy, ...this.#recent.takeAll()])].map(this.#options.close));
  }

  /** Releases managers that are quiet, and saves those early that were not used for longest: they may never resume. */
  #letGo(): void {
    let looks = 0;
    for (const manager of this.#busy) {
      if (this.#busy.size <= MAX_USERS || ++looks > LOOKS) return;
      this.#busy.delete(manager);
      if (this.#options.isQuiet(manager)) continue;
      this.#busy.add(manager);
      this.#saveEarly(manager);
    }
  }

  #saveEarly(manager: Manager): void {
    if (this.#saving.has(manager)) return;
    this.#saving.add(manager);
    // A failure is reported, and tried again when it is its turn again.
    manager
      .flush()
      .catch(() => {})
      .finally(() => this.#saving.delete(manager));
  }

  #expectOpen(): void {
    if (this.#isClosed) throw new MemoryError('CLOSED', 'The manager is closed. Create a new one.');
  }
}

/** Does some work for each item, for a few at once. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const left = [...items].reverse();
  const results: Result[] = [];
  const next = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: PARALLEL }, next));
  return results;
}
