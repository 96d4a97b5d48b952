/** A PostgreSQL server for a test. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  /** The URL of an empty database, with a superuser. */
  readonly url: string;
  /**
   * Creates another empty database and returns its URL. `stop()` removes it.
   *
   * @param url - Its URL, from `newDatabaseUrl`.
   */
  createDatabase(url?: string): Promise<string>;
  /** Kills the server with SIGKILL. Its data stays. */
  kill(): Promise<void>;
  /** Restarts the server with the same port and folder, after `kill()` or after a clean shutdown. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}
