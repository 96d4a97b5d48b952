/** A Redis or Valkey server for a test. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  /** The URL of an empty database. */
  readonly url: string;
  /** Kills the server with SIGKILL. Its data stays. */
  kill(): Promise<void>;
  /** Restarts the server with the same port and folder, after `kill()` or after a clean shutdown. */
  restart(): Promise<void>;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}
