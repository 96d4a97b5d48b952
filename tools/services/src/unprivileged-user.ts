import { execFileSync } from 'node:child_process';

/** The user that a process runs as. */
export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** An unprivileged user if we are root, for servers that refuse to run as root; otherwise `undefined`. */
export function unprivilegedUser(): User | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}
