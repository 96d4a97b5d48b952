import { createHash } from 'node:crypto';
import { MemoryError } from '@keepsake/core';
import type { RedisClient, ScriptArgument, ScriptArguments } from './redis-client.ts';
import { asMemoryError } from './redis-errors.ts';

/** How many values a script hands to a command at a time: Lua's stack holds 8,000. */
export const CHUNK = 5_000;

/**
 * How much a script can be given: in characters of texts, and bytes of others. A client makes one string of a command, of
 * half a gigabyte at most, and a server drops who sends more than a gigabyte.
 */
const MOST = 256 * 2 ** 20;

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

/**
 * Runs a script. Its reply holds texts, whole numbers, lists of both, and `null` for nil and false.
 *
 * @throws MemoryError `TOO_LARGE` for what is too much for one command: nothing is sent then.
 */
export function run(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  ...values: readonly ScriptArguments[]
): Promise<unknown> {
  return send(client, 'call', script, keys, values);
}

/** Runs a script. Texts come as bytes. */
export function runForBytes(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  values: readonly ScriptArgument[] = [],
): Promise<unknown> {
  return send(client, 'callBuffer', script, keys, values);
}

async function send(
  client: RedisClient,
  method: 'call' | 'callBuffer',
  script: Script,
  keys: readonly string[],
  values: readonly ScriptArguments[],
): Promise<unknown> {
  const call = argumentsOf(script.sha, keys, values);
  try {
    return await client[method]('evalsha', call);
  } catch (error) {
    if (!isUnknownScript(error)) throw asMemoryError(error, script.writes);
  }
  // A server that was restarted, or has become the master, doesn't know the script yet.
  call[0] = script.lua;
  try {
    return await client[method]('eval', call);
  } catch (error) {
    throw asMemoryError(error, script.writes);
  }
}

/** One list of all. By hand: a good part of what a call costs here is putting lists together. */
function argumentsOf(script: string, keys: readonly string[], values: readonly ScriptArguments[]): ScriptArgument[] {
  const all: ScriptArgument[] = [script, keys.length];
  for (const key of keys) all.push(key);
  for (const value of values) {
    if (typeof value !== 'object' || Buffer.isBuffer(value)) all.push(value);
    else for (const one of value) all.push(one);
  }
  let size = 0;
  for (const value of all) if (typeof value !== 'number') size += value.length;
  if (size <= MOST) return all;
  throw new MemoryError(
    'TOO_LARGE',
    'This is over 256 MiB in one change, which is too much for a command of Redis. Cut it into several.',
  );
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

function shaOf(lua: string): string {
  return createHash('sha1').update(lua).digest('hex');
}
