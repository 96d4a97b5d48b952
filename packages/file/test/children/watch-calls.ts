import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Watches the functions of node:fs, whichever form a caller uses: those that wait, those with a callback, those of
 * node:fs/promises, and the methods of what `open` gives there.
 */

/** Calls that write bytes, by their names without `Sync`. */
const WRITES = ['appendFile', 'write', 'writeFile', 'writev'];
/** Those that change something else, or wait until it lasts. */
const OTHER_CHANGES = [
  ...['chmod', 'copyFile', 'fchmod', 'fdatasync', 'fsync', 'ftruncate', 'futimes', 'link', 'lutimes', 'mkdir'],
  ...['mkdtemp', 'rename', 'rm', 'rmdir', 'symlink', 'truncate', 'unlink', 'utimes'],
];
/** Those that only look, or prepare. */
const LOOKS = [
  ...['access', 'close', 'exists', 'fstat', 'lstat', 'open', 'opendir', 'read', 'readFile', 'readdir', 'readlink'],
  ...['readv', 'realpath', 'stat'],
];
/** Those that a full disk refuses, beside those that write. */
const SPACE = ['copyFile', 'link', 'mkdir', 'mkdtemp', 'symlink'];
/** Methods of a handle, by the functions that do the same. */
const HANDLE = {
  ...{ appendFile: 'appendFile', close: 'close', datasync: 'fdatasync', read: 'read', readFile: 'readFile' },
  ...{ readv: 'readv', stat: 'fstat', sync: 'fsync', truncate: 'ftruncate', utimes: 'futimes' },
  ...{ write: 'write', writeFile: 'writeFile', writev: 'writev' },
};

/** A call of the file system that is about to happen. */
export interface Call {
  /** Such as `renameSync`, `rename`, `promises.rename` or `handle.write`. */
  readonly name: string;
  readonly changes: boolean;
  readonly writes: boolean;
  /** Whether a full disk refuses it. */
  readonly takesSpace: boolean;
  /** Of a call that writes, does the first half of it. */
  writeHalf(): number;
}

/** What becomes of a call instead: it fails, after half of its bytes where it writes; or it only writes that half. */
export type Fault = { readonly code: string; readonly half?: boolean } | 'short';

type Function = (this: unknown, ...args: unknown[]) => unknown;
type Form = 'sync' | 'callback' | 'promise';

let pending = 0;
let calls = 0;

/** Has `before` called before each call of the file system in this process. Import what is to be watched afterwards. */
export function watchCalls(before: (call: Call) => Fault | undefined): void {
  const functions = fs as unknown as Record<string, Function>;
  const promises = fs.promises as unknown as Record<string, Function>;
  const originals = { ...functions };
  const replace = (owner: Record<string, Function>, key: string, base: string, form: Form, prefix = '') => {
    const original = owner[key];
    if (typeof original !== 'function') return;
    const watched: Function = function (...args) {
      calls++;
      const call = describe(originals, base, `${prefix}${key}`, prefix === 'handle.' ? [this, ...args] : args);
      const fault = before(call);
      if (fault === undefined) return follow(form, args, (own) => original.apply(this, own));
      if (fault === 'short') return answer(form, args, call.writeHalf());
      if (fault.half && call.writes) call.writeHalf();
      if (base === 'exists') return false;
      // A close that fails has closed all the same.
      if (base === 'close') original.apply(this, form === 'callback' ? [args[0], () => {}] : args);
      const error = Object.assign(new Error(`${fault.code}: injected, ${call.name}`), { code: fault.code });
      return refuse(form, args, error);
    };
    // What util.promisify goes by.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(watched, symbol, Object.getOwnPropertyDescriptor(original, symbol) ?? {});
    }
    owner[key] = watched;
  };
  const open = promises.open as Function;
  promises.open = async function (...args) {
    const handle = (await open.apply(this, args)) as Record<string, Function>;
    for (const [key, base] of Object.entries(HANDLE)) replace(handle, key, base, 'promise', 'handle.');
    return handle;
  };
  for (const base of [...WRITES, ...OTHER_CHANGES, ...LOOKS]) {
    replace(functions, `${base}Sync`, base, 'sync');
    // Nobody uses the one with a callback, which knows of no errors.
    if (base !== 'exists') replace(functions, base, base, 'callback');
    replace(promises, base, base, 'promise', 'promises.');
  }
  syncBuiltinESMExports();
}

/** Resolves once nothing goes on in the background: no call is under way, and none has come for a while. */
export async function quiet(): Promise<void> {
  for (let still = 0, seen = calls; still < 6; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (pending > 0 || calls !== seen) still = 0;
    seen = calls;
  }
}

function describe(originals: Record<string, Function>, base: string, name: string, args: unknown[]): Call {
  const writes = WRITES.includes(base);
  return {
    name,
    writes,
    changes: writes || OTHER_CHANGES.includes(base),
    takesSpace: writes || SPACE.includes(base) || (base === 'open' && creates(args[1])),
    writeHalf: () => (writes ? writeHalf(originals, base, args) : 0),
  };
}

function creates(flags: unknown): boolean {
  return typeof flags === 'number' ? (flags & fs.constants.O_CREAT) !== 0 : /[wa]/.test(String(flags ?? 'r'));
}

/** Writes the first half of what a call would, and says how many bytes that was. */
function writeHalf(originals: Record<string, Function>, base: string, args: unknown[]): number {
  const [target, data, ...rest] = args;
  const { openSync, writeSync, closeSync } = originals as unknown as typeof fs;
  const bytes = bytesOf(data, base === 'write' ? rest : []);
  const half = bytes.subarray(0, bytes.length >> 1);
  const descriptor = typeof target === 'number' ? target : (target as { fd?: number }).fd;
  if (descriptor !== undefined) return writeSync(descriptor, half, 0, half.length, positionOf(base, data, rest));
  const file = openSync(target as string, base === 'appendFile' ? 'a' : 'w');
  const written = writeSync(file, half);
  closeSync(file);
  return written;
}

function bytesOf(data: unknown, [where, length]: unknown[]): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data as Uint8Array[]);
  if (typeof data === 'string') return Buffer.from(data);
  const view = data as Uint8Array;
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const options = (typeof where === 'object' && where !== null ? where : { offset: where, length }) as {
    offset?: number | null;
    length?: number | null;
  };
  const offset = options.offset ?? 0;
  return bytes.subarray(offset, offset + (options.length ?? bytes.length - offset));
}

function positionOf(base: string, data: unknown, rest: unknown[]): number | null {
  if (base !== 'write' && base !== 'writev') return null;
  const [where] = rest;
  const position =
    typeof where === 'object' && where !== null
      ? (where as { position?: unknown }).position
      : rest[base === 'writev' || typeof data === 'string' ? 0 : 2];
  return typeof position === 'number' ? position : null;
}

/** Makes a call, and keeps in mind that it is under way. */
function follow(form: Form, args: unknown[], call: (args: unknown[]) => unknown): unknown {
  if (form === 'sync') return call(args);
  const done = args.at(-1);
  if (form === 'callback' && typeof done !== 'function') return call(args);
  pending++;
  if (form === 'promise') return (call(args) as Promise<unknown>).finally(() => pending--);
  return call([
    ...args.slice(0, -1),
    (...results: unknown[]) => {
      pending--;
      (done as Function)(...results);
    },
  ]);
}

/** Says that so many bytes were written, in the way that a call does. */
function answer(form: Form, args: unknown[], bytesWritten: number): unknown {
  if (form === 'sync') return bytesWritten;
  if (form === 'promise') return Promise.resolve({ bytesWritten, buffer: args[0] });
  process.nextTick(args.at(-1) as () => void, null, bytesWritten, args[1]);
  return undefined;
}

function refuse(form: Form, args: unknown[], error: Error): unknown {
  if (form === 'sync') throw error;
  if (form === 'promise') return Promise.reject(error);
  process.nextTick(args.at(-1) as () => void, error);
  return undefined;
}
