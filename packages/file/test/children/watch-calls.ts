import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** The calls that change something, or wait until it lasts. */
export const CHANGES = [
  'appendFileSync',
  'fdatasync',
  'fsyncSync',
  'mkdirSync',
  'renameSync',
  'rmSync',
  'writeFileSync',
  'writeSync',
] as const;

/** Those that only look, or prepare. */
export const LOOKS = [
  'closeSync',
  'existsSync',
  'fstatSync',
  'lstatSync',
  'openSync',
  'readdirSync',
  'readSync',
  'statSync',
] as const;

export type CallName = (typeof CHANGES)[number] | (typeof LOOKS)[number];

/** A call of the file system that is about to happen. */
export interface Call {
  readonly name: CallName;
  /** Of a call that writes, does the first half of it. */
  writeHalf(): void;
}

type Functions = Record<CallName, (...args: unknown[]) => unknown>;

/** Has `before` called before each call of the file system in this process. What it throws is what the call throws. */
export function watchCalls(before: (call: Call) => void): void {
  const functions = fs as unknown as Functions;
  const originals: Functions = { ...functions };
  for (const name of [...CHANGES, ...LOOKS]) {
    functions[name] = (...args) => {
      try {
        before({ name, writeHalf: () => writeHalf(originals, name, args) });
      } catch (error) {
        if (name !== 'fdatasync') throw error;
        process.nextTick(args[1] as () => void, error);
        return undefined;
      }
      return originals[name](...args);
    };
  }
  syncBuiltinESMExports();
}

function writeHalf(originals: Functions, name: CallName, [target, data]: unknown[]): void {
  if (name !== 'appendFileSync' && name !== 'writeFileSync' && name !== 'writeSync') return;
  const bytes = Buffer.from(data as string | Buffer);
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  if (name === 'writeFileSync') originals.writeFileSync(target, half);
  else originals.writeSync(target, half);
}
