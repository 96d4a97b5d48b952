/**
 * The few methods of `Redis` and `Cluster` of ioredis that are called. The client is the caller's: it is never closed,
 * and can be shared with anything else.
 */
export interface RedisClient {
  evalsha(sha: string, keyCount: number, ...keysAndArguments: ScriptArgument[]): Promise<unknown>;
  eval(script: string, keyCount: number, ...keysAndArguments: ScriptArgument[]): Promise<unknown>;
  evalshaBuffer(sha: string, keyCount: number, ...keysAndArguments: ScriptArgument[]): Promise<unknown>;
  evalBuffer(script: string, keyCount: number, ...keysAndArguments: ScriptArgument[]): Promise<unknown>;
}

/** What scripts take. Numbers and strings arrive as their text in UTF-8. */
export type ScriptArgument = string | number | Buffer;
