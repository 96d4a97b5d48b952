import { join } from 'node:path';
import { installLocked } from '@keepsake/testing/install-locked';

/** Installs the peers from the lockfile of this folder, unless they are installed. */
export function installPeers(say: (what: string) => void): void {
  installLocked(join(import.meta.dirname, '..'), say);
}

/** A peer's module. It may not be installed, so the compiler does not see it and the caller declares what it uses. */
export async function importPeer<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}
