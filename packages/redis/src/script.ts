import { createHash } from 'node:crypto';
import type { RedisClient, ScriptArgument, ScriptArguments } from './redis-client.ts';
import { asMemoryError } from './redis-errors.ts';

/** A Lua script, which Redis runs as one atomic step. Redis keeps it by its hash until it restarts. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
  /** Whether it changes anything: what then breaks off may have happened. */
  readonly writes: boolean;
}

/** A script that changes something. It must find what it can't work with before it changes anything: nothing rolls back. */
export function writing(lua: string): Script {
  return { lua, sha: shaOf(lua), writes: true };
}

/** A script that only reads. */
export function reading(lua: string): Script {
  return { lua, sha: shaOf(lua), writes: false };
}

/** Runs a script. Its reply holds texts, whole numbers, lists of both, and `null` for nil and false. */
export function run(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  ...values: readonly ScriptArguments[]
): Promise<unknown> {
  return send(script, [keys.length, ...keys, ...values.flat()], client.call.bind(client));
}

/** Runs a script. Texts come as bytes. */
export function runForBytes(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  values: readonly ScriptArgument[] = [],
): Promise<unknown> {
  return send(script, [keys.length, ...keys, ...values], client.callBuffer.bind(client));
}

async function send(script: Script, values: readonly ScriptArgument[], call: RedisClient['call']): Promise<unknown> {
  try {
    return await call('evalsha', [script.sha, ...values]);
  } catch (error) {
    if (!isUnknownScript(error)) throw asMemoryError(error, script.writes);
  }
  // A server that was restarted, or has become the master, doesn't know the script yet.
  try {
    return await call('eval', [script.lua, ...values]);
  } catch (error) {
    throw asMemoryError(error, script.writes);
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

function shaOf(lua: string): string {
  return createHash('sha1').update(lua).digest('hex');
}
