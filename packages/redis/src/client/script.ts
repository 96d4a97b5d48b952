import { createHash } from 'node:crypto';
import { MemoryError } from '@keepsake/core';
import { hasEnded, watchDelivery } from './delivery.ts';
import type { RedisClient, ScriptArgument, ScriptArguments } from './redis-client.ts';
import { asMemoryError } from './redis-errors.ts';
import { ReplicatedClient } from './replicated-client.ts';

/** How many values a script passes to a command at a time: Lua's stack holds 8,000. */
export const UNPACK_LIMIT = 5_000;

/**
 * The most that a script takes, in characters of strings and bytes of buffers. A client makes one string of a command, of at
 * most half a gigabyte, and a server disconnects a client that sends more than a gigabyte.
 */
const MAX_SIZE = 256 * 2 ** 20;

/** A Lua script, which Redis runs as one atomic step. Redis caches it by its hash until it restarts. */
export interface Script {
  readonly lua: string;
  readonly sha: string;
  /** Whether it changes anything. If the connection then breaks, the change may have happened. */
  readonly writes: boolean;
}

/** A script that changes something. Nothing rolls back, so it must find every error before its first change. */
export function writing(lua: string): Script {
  return { lua, sha: shaOf(lua), writes: true };
}

/** A script that only reads. */
export function reading(lua: string): Script {
  return { lua, sha: shaOf(lua), writes: false };
}

/** Runs a script for strings. See {@link runFor}. */
export function run(
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  ...values: readonly ScriptArguments[]
): Promise<unknown> {
  return runFor('call', client, script, keys, values);
}

/**
 * Runs a script. Its reply holds strings, or buffers if the method is `callBuffer`, whole numbers, lists of them, and `null`
 * for nil and false.
 *
 * @throws MemoryError `TOO_LARGE` if the arguments are too large for one command. Nothing is sent then.
 */
export async function runFor(
  method: 'call' | 'callBuffer',
  client: RedisClient,
  script: Script,
  keys: readonly string[],
  values: readonly ScriptArguments[],
): Promise<unknown> {
  const call = argumentsOf(script.sha, keys, values);
  const replicated = script.writes && client instanceof ReplicatedClient ? client : undefined;
  const toMemoryError = watchErrors(client, script.writes);
  for (let command: 'evalsha' | 'eval' = 'evalsha'; ; ) {
    try {
      const reply = replicated?.change(method, command, call, keys[0] as string) ?? client[method](command, call);
      return await reply;
    } catch (error) {
      if (command === 'eval' || !isUnknownScript(error)) throw toMemoryError(error);
    }
    // A server that was restarted, or was promoted to master, doesn't have the script yet.
    command = 'eval';
    call[0] = script.lua;
  }
}

/** Called before a command is sent. Returns what turns its error into a `MemoryError`. */
export function watchErrors(client: RedisClient, wrote: boolean): (error: unknown) => MemoryError {
  const base = client instanceof ReplicatedClient ? client.base : client;
  const delivery = watchDelivery(base);
  return (error) => asMemoryError(error, { wrote, delivery: delivery(), hasEnded: hasEnded(base) });
}

/** One list of everything. Loops instead of spreads, because building lists is a good part of what a call costs here. */
function argumentsOf(script: string, keys: readonly string[], values: readonly ScriptArguments[]): ScriptArgument[] {
  const all: ScriptArgument[] = [script, keys.length];
  for (const key of keys) all.push(key);
  for (const value of values) {
    if (typeof value !== 'object' || Buffer.isBuffer(value)) all.push(value);
    else for (const one of value) all.push(one);
  }
  let size = 0;
  for (const value of all) if (typeof value !== 'number') size += value.length;
  if (size <= MAX_SIZE) return all;
  throw new MemoryError(
    'TOO_LARGE',
    'This change is larger than 256 MiB, the most that one Redis command takes. Split it into several changes.',
  );
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

function shaOf(lua: string): string {
  return createHash('sha1').update(lua).digest('hex');
}
