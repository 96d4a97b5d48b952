import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Watches the functions of node:fs in every form: synchronous, with a callback, in node:fs/promises, and as methods of
 * the file handles that `open` returns there.
 */

/** Calls that write bytes, by name without `Sync`. */
const WRITES = ['appendFile', 'write', 'writeFile', 'writev'];
/** Calls that change something else, or flush changes to the disk. */
const OTHER_CHANGES = [
  ...['chmod', 'copyFile', 'fchmod', 'fdatasync', 'fsync', 'ftruncate', 'futimes', 'link', 'lutimes', 'mkdir'],
  ...['mkdtemp', 'rename', 'rm', 'rmdir', 'symlink', 'truncate', 'unlink', 'utimes'],
];
/** Calls that only read, open or close. */
const READS = [
  ...['access', 'close', 'exists', 'fstat', 'lstat', 'open', 'opendir', 'read', 'readFile', 'readdir', 'readlink'],
  ...['readv', 'realpath', 'stat'],
];
/** Calls besides `WRITES` that fail on a full disk. */
const SPACE = ['copyFile', 'link', 'mkdir', 'mkdtemp', 'symlink'];
/** The methods of a file handle, with the functions that do the same. */
const HANDLE = {
  ...{ appendFile: 'appendFile', close: 'close', datasync: 'fdatasync', read: 'read', readFile: 'readFile' },
  ...{ readv: 'readv', stat: 'fstat', sync: 'fsync', truncate: 'ftruncate', utimes: 'futimes' },
  ...{ write: 'write', writeFile: 'writeFile', writev: 'writev' },
};

/** A file system call that is about to happen. */
export interface Call {
  /** Such as `renameSync`, `rename`, `promises.rename` or `handle.write`. */
  readonly name: string;
  readonly changes: boolean;
  readonly writes: boolean;
  /** Whether it fails on a full disk. */
  readonly takesSpace: boolean;
  /** Writes the first half of the bytes, if the call writes. Returns their number. */
  writeHalf(): number;
}

/** Replaces a call: it fails, with `half` after writing half of its bytes; or it only writes that half. */
export type Fault = { readonly code: string; readonly half?: boolean } | 'short';

type Function = (this: unknown, ...args: unknown[]) => unknown;
type Form = 'sync' | 'callback' | 'promise';

let pending = 0;
let calls = 0;

/**
 * Calls `before` before each file system call in this process. Import the modules to watch afterwards. Returns a function that
 * ends it.
 */
export function watchCalls(before: (call: Call) => Fault | undefined): () => void {
  const functions = fs as unknown as Record<string, Function>;
  const promises = fs.promises as unknown as Record<string, Function>;
  const originals = { ...functions };
  const replaced: (() => void)[] = [];
  const replace = (owner: Record<string, Function>, key: string, base: string, form: Form, prefix = '') => {
    const original = owner[key];
    if (typeof original !== 'function') return;
    const watched: Function = function (...args) {
      calls++;
      const call = describe(originals, base, `${prefix}${key}`, prefix === 'handle.' ? [this, ...args] : args);
      const fault = before(call);
      if (fault === undefined) return makeCall(form, args, (own) => original.apply(this, own));
      if (fault === 'short') return answer(form, args, call.writeHalf());
      if (fault.half && call.writes) call.writeHalf();
      if (base === 'exists') return false;
      // A close that fails closes the file anyway.
      if (base === 'close') original.apply(this, form === 'callback' ? [args[0], () => {}] : args);
      const error = Object.assign(new Error(`${fault.code}: injected, ${call.name}`), { code: fault.code });
      return refuse(form, args, error);
    };
    // util.promisify relies on these.
    for (const symbol of Object.getOwnPropertySymbols(original)) {
      Object.defineProperty(watched, symbol, Object.getOwnPropertyDescriptor(original, symbol) ?? {});
    }
    owner[key] = watched;
    if (prefix !== 'handle.') replaced.push(() => Object.assign(owner, { [key]: original }));
  };
  const open = promises.open as Function;
  promises.open = async function (...args) {
    const handle = (await open.apply(this, args)) as Record<string, Function>;
    for (const [key, base] of Object.entries(HANDLE)) replace(handle, key, base, 'promise', 'handle.');
    return handle;
  };
  for (const base of [...WRITES, ...OTHER_CHANGES, ...READS]) {
    replace(functions, `${base}Sync`, base, 'sync');
    // `exists` with a callback cannot report errors and is not used.
    if (base !== 'exists') replace(functions, base, base, 'callback');
    replace(promises, base, base, 'promise', 'promises.');
  }
  syncBuiltinESMExports();
  return () => {
    for (const restore of replaced) restore();
    promises.open = open;
    syncBuiltinESMExports();
  };
}

/** Resolves once nothing happens in the background: no call is in flight, and none has started for a while. */
export async function quiet(): Promise<void> {
  for (let idle = 0, seen = calls; idle < 6; idle++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (pending > 0 || calls !== seen) idle = 0;
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

/** Writes the first half of the bytes of a call, and returns their number. */
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

/** Makes a call, and counts it as pending until it is done. */
function makeCall(form: Form, args: unknown[], call: (args: unknown[]) => unknown): unknown {
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

/** Returns the number of written bytes in the form of the call. */
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
