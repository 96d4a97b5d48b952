import type { World } from './world.ts';

/** A public way in which words of a user come into storage. */
export interface Path {
  readonly name: string;
  /** Whether an export contains the words. Otherwise, they were replaced, deleted, or are a digest. */
  readonly isExported: boolean;
  write(world: World, user: string, words: readonly string[]): Promise<unknown>;
  /** What the package returns of them. */
  read?(world: World, user: string, words: readonly string[]): Promise<unknown>;
}

/** Words that stay. */
export function kept(name: string, write: Path['write'], read?: Path['read']): Path {
  return { name, isExported: true, write, ...(read && { read }) };
}

/** Words that something replaces or removes before the user is erased. */
export function gone(name: string, write: Path['write'], read?: Path['read']): Path {
  return { name, isExported: false, write, ...(read && { read }) };
}

export async function forEach(words: readonly string[], task: (word: string, n: number) => Promise<unknown>) {
  for (const [n, word] of words.entries()) await task(word, n);
}
