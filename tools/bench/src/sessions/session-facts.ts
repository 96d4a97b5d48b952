import { heldBytes } from '../held-bytes.ts';
import { bytesRead } from '../machine.ts';
import { kindNamed } from './kinds.ts';
import { turn } from './turn.ts';

/** What to do with a session, to see what that takes. */
export interface SessionFactsJob {
  readonly kind: string;
  /** Where its history is. */
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
  /** What was read of files; missing where the system does not say. */
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
  // Loads what the kind needs.
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
