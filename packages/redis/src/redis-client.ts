/**
 * The few methods of `Redis` and `Cluster` of ioredis that are called. The client is the caller's: it is never closed,
 * and can be shared with anything else.
 */
export interface RedisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: ScriptArguments[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: ScriptArguments[]): Promise<unknown>;
  lrange(key: string, start: number, stop: number): Promise<string[]>;
  evalshaBuffer(sha: string, keyCount: number, ...keysAndArguments: ScriptArguments[]): Promise<unknown>;
  evalBuffer(script: string, keyCount: number, ...keysAndArguments: ScriptArguments[]): Promise<unknown>;
}

/** What scripts take. Numbers and strings arrive as their text in UTF-8. */
export type ScriptArgument = string | number | Buffer;

/** One or many of them: ioredis takes lists apart. Spread, a hundred thousand would be too many for a call. */
export type ScriptArguments = ScriptArgument | readonly ScriptArgument[];
