import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { digest } from './digest.ts';

/** Identifies a process, so that other processes on the same machine can tell whether it still runs. */
export interface ProcessIdentity {
  /** Identifies where a pid means the same process: a machine since it booted, and a container. */
  readonly host: string;
  readonly pid: number;
  /** When it started, in ticks since boot: distinguishes it from a later process with the same pid. */
  readonly start: string;
}

/** The {@link ProcessIdentity.start} of processes on systems that do not tell it. Only Linux does. */
export const UNKNOWN_START = '0';

/** Whether a process has ended for certain. That is never known of a process on another machine. */
export function hasEnded({ host, pid, start }: ProcessIdentity): boolean {
  if (host !== HOST) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Any other error: it runs, but belongs to another user.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = lookUp(pid);
  // A killed process stays as a zombie until its parent waits for it, which some parents never do.
  return now.state === 'Z' || (start !== UNKNOWN_START && now.start !== UNKNOWN_START && now.start !== start);
}

function lookUp(pid: number): { readonly state?: string | undefined; readonly start: string } {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The program name is in parentheses and may contain spaces, so count the fields after the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], start: fields[19] ?? UNKNOWN_START };
}

function attempt(source: () => string): string {
  try {
    return source();
  } catch {
    return '';
  }
}

const HOST = digest(
  [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ].join('\n'),
  12,
);

export const THIS_PROCESS: ProcessIdentity = { host: HOST, pid: process.pid, start: lookUp(process.pid).start };
