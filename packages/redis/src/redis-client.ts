import { MemoryError } from '@keepsake/core';

/**
 * The few methods of `Redis` and `Cluster` of ioredis that are called. The client is the caller's: it is never closed,
 * and can be shared with anything else.
 */
export interface RedisClient {
  call(command: string, values: ScriptArgument[]): Promise<unknown>;
  callBuffer(command: string, values: ScriptArgument[]): Promise<unknown>;
}

/** Throws `INVALID_ARGUMENT` for what is no client. */
export function checkClient(client: RedisClient): RedisClient {
  if (typeof client?.callBuffer === 'function') return client;
  throw new MemoryError('INVALID_ARGUMENT', 'client is to be a Redis or Cluster of ioredis, such as new Redis().');
}

/** What scripts take. Numbers and strings arrive as their text in UTF-8. */
export type ScriptArgument = string | number | Buffer;

/** One or many of them: spread, a hundred thousand would be too many for a call. */
export type ScriptArguments = ScriptArgument | readonly ScriptArgument[];
