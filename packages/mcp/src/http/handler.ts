/** Serves requests, as web standards have them. */
export interface MemoryHandler {
  readonly fetch: (request: Request) => Promise<Response>;
  /** Ends open streams. Closes no store. */
  close(): Promise<void>;
}
