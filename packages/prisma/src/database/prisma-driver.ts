import { SharedTurn } from '@keepsake/internal';
import { AGING, type Driver, retrying, type Sending, type TablesHelp } from '@keepsake/sql';
import { leavingWhenBusy } from './leave-busy-connection.ts';
import { checkClient, isWithinTransaction, type PrismaLike } from './prisma-client.ts';
import { inTurn } from './sqlite-write-queue.ts';

/** How long calls on SQLite go on before the event loop turns: its drivers work at once, so awaited calls would keep it from that. */
const CALLS_MS = 10;
const turn = new SharedTurn(CALLS_MS);

const TABLES: TablesHelp = {
  missing:
    "This database does not have Keepsake's tables. Run `npx keepsake-prisma init`, which adds them to your Prisma schema and migrations, then `npx prisma migrate deploy` (`prisma db push` is not enough). Or apply the SQL in node_modules/@keepsake/prisma/migrations. If the tables are in a PostgreSQL schema other than public, connect with that schema on the search_path.",
  older:
    "Keepsake's tables in this database are of an older version. Run `npx keepsake-prisma init`, which adds the missing migration, then `npx prisma migrate deploy`.",
  newer: "Keepsake's tables in this database are of a newer version. Update @keepsake/prisma.",
};

class PrismaDriver implements Driver {
  readonly tables = TABLES;
  readonly #prisma: PrismaLike;

  constructor(prisma: PrismaLike) {
    this.#prisma = prisma;
  }

  get isTransaction(): boolean {
    return isWithinTransaction(this.#prisma);
  }

  query<Row>(sql: string, values: readonly unknown[]): PromiseLike<Row[]> {
    return this.#prisma.$queryRawUnsafe<Row[]>(sql, ...values);
  }

  execute(sql: string, values: readonly unknown[]): PromiseLike<number> {
    return this.#prisma.$executeRawUnsafe(sql, ...values);
  }

  async send<T>(work: () => PromiseLike<T>, again: (error: unknown) => boolean, how: Sending): Promise<T> {
    const { dialect, writes, signal } = how;
    if (dialect === 'postgresql') return retrying(work, again, how);
    if (dialect === 'sqlite') await turn.wait;
    const sent = () => retrying(() => leavingWhenBusy(this.#prisma, work), again, { ...how, longestWait: AGING });
    return writes && dialect === 'sqlite' ? inTurn(this.#prisma, sent, signal) : sent();
  }
}

const drivers = new WeakMap<PrismaLike, Driver>();

/** @throws MemoryError `INVALID_ARGUMENT` if this is not a Prisma Client. */
export function driverOf(prisma: PrismaLike): Driver {
  const knownDriver = drivers.get(checkClient(prisma));
  if (knownDriver !== undefined) return knownDriver;
  const driver = new PrismaDriver(prisma);
  drivers.set(prisma, driver);
  return driver;
}
