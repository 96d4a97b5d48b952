import { heldBytes } from '../held-bytes.ts';
import { bytesRead } from '../machine.ts';
import { kindNamed } from './kinds.ts';
import { turn } from './turn.ts';

/** The operation to measure on a session. */
export interface SessionFactsJob {
  readonly kind: string;
  /** The directory with its history. */
  readonly directory: string;
  /** An empty directory. */
  readonly warmUp: string;
  readonly does: 'read' | 'append' | 'appendAll';
  readonly items: number;
}

/** In bytes. */
export interface SessionFacts {
  /** Memory that the session holds. */
  readonly held: number;
  /** The bytes read from files; missing if the system does not report them. */
  readonly read?: number;
}

export async function sessionFacts({
  kind: name,
  directory,
  warmUp,
  does,
  items,
}: SessionFactsJob): Promise<SessionFacts> {
  const kind = kindNamed(name);
  // Loads the dependencies of the kind.
  await (await kind.open(warmUp)).newest(1);
  let read: number | undefined;
  const held = await heldBytes(async () => {
    const before = bytesRead();
    const session = await kind.open(directory);
    if (does === 'read') await session.newest(20);
    if (does === 'append') await session.append(turn(items));
    if (does === 'appendAll') for (let number = 0; number < items / 2; number++) await session.append(turn(number));
    const after = bytesRead();
    if (before !== undefined && after !== undefined) read = after - before;
    return session;
  });
  return read === undefined ? { held } : { held, read };
}
