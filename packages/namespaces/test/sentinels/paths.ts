import { bridgePaths } from './bridge-paths.ts';
import { conversationPaths } from './conversation-paths.ts';
import { managerPaths } from './manager-paths.ts';
import type { Path } from './path.ts';
import { recordPaths } from './record-paths.ts';
import { sessionPaths } from './session-paths.ts';
import { wordsOf } from './words.ts';
import { workspacePaths } from './workspace-paths.ts';
import type { World } from './world.ts';

/** Every public way in which a word of a user comes into storage. */
export const PATHS: readonly Path[] = [
  ...recordPaths,
  ...sessionPaths,
  ...managerPaths,
  ...conversationPaths,
  ...workspacePaths,
  ...bridgePaths,
];

/** All words of a user, with their paths. */
export function sentinelsOf(user: string): { readonly path: Path; readonly words: readonly string[] }[] {
  return PATHS.map((path) => ({ path, words: wordsOf(user, path.name) }));
}

/** Writes the words of a user on every path. */
export async function writeSentinels(world: World, user: string): Promise<void> {
  for (const { path, words } of sentinelsOf(user)) await path.write(world, user, words);
}

/** What the paths return of the words of a user, one per line. */
export async function readSentinels(world: World, user: string): Promise<string> {
  const lines: string[] = [];
  for (const { path, words } of sentinelsOf(user)) {
    lines.push(JSON.stringify([path.name, await path.read?.(world, user, words)]));
  }
  return lines.join('\n');
}
