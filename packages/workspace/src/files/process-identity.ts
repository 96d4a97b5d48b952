import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, such that another one of the same machine can tell whether it is still there. */
export interface ProcessIdentity {
  /** Where a pid means the same process: a machine since it booted, and a container. */
  readonly host: string;
  readonly pid: number;
  /** When it began, in ticks since boot: tells it from a later one of the same pid. `0` where that is not known. */
  readonly start: string;
}

/** Whether a process has ended for certain. Of another machine that is never known. */
export function hasEnded({ host, pid, start }: ProcessIdentity): boolean {
  if (host !== HOST) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Anything else: it lives, and belongs to somebody else.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true;
  }
  const now = lookUp(pid);
  // One that was killed stays as a zombie until its parent asks for it.
  return now.state === 'Z' || (start !== UNKNOWN && now.start !== UNKNOWN && now.start !== start);
}

/** What begins when is not known everywhere. */
export const UNKNOWN = '0';

/** Known on Linux alone. */
function lookUp(pid: number): { readonly state?: string | undefined; readonly start: string } {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'latin1'));
  // The name of the program stands in parentheses and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0], start: fields[19] ?? UNKNOWN };
}

function attempt(source: () => string): string {
  try {
    return source();
  } catch {
    return '';
  }
}

const HOST = createHash('sha256')
  .update(
    [
      hostname(),
      attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1')),
      attempt(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  .digest('hex')
  .slice(0, 12);

/** This process. */
export const THIS_PROCESS: ProcessIdentity = { host: HOST, pid: process.pid, start: lookUp(process.pid).start };
