import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { allItems } from '@keepsake/internal';
import { collected } from '../support.ts';
import { sentinelsOf } from './paths.ts';
import { wordsIn } from './words.ts';
import type { World } from './world.ts';

/** How many words of a user a text contains, by path. Paths without any are left out. */
export function countsIn(text: string, user: string): Record<string, number> {
  const sentinels = sentinelsOf(user);
  const words = sentinels.flatMap((one) => one.words);
  const found = wordsIn(text, words);
  const counts = sentinels.map(
    ({ path, words }) => [path.name, words.filter((word) => found.has(word)).length] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Everything that is listed in the store and the sessions, and that searches for words of the user find. */
export async function listed({ store, sessions }: World, user: string): Promise<string> {
  const found: unknown[] = [];
  for await (const info of allItems((page) => store.namespaces(page))) {
    const place = store.within(info.namespace.slice(store.namespace.length));
    found.push(info);
    for await (const record of allItems((page) => place.list({ ...page, history: true }))) {
      found.push(record, await place.get(record.id));
    }
  }
  for await (const info of allItems((page) => sessions.list(page))) {
    found.push(info, await sessions.open(info.sessionId).getItems());
  }
  for (const { words } of sentinelsOf(user)) {
    found.push(await store.search(words.join(' '), { descendants: true, maxSearchResults: 2 * words.length }));
  }
  return JSON.stringify(found);
}

/** The export of a user, without its times. */
export async function exported({ space }: World, user: string): Promise<string> {
  const lines = await collected(space.exportUser(user));
  return lines.join('').replaceAll(/"exportedAt":"[^"]*"/g, '"exportedAt":""');
}

/** The lines that only one of two texts has, shortened, because a failed comparison of megabytes takes minutes. */
export function differences(before: string, after: string): string[] {
  const [one, other] = [before, after].map((text) => new Set(text.split('\n'))) as [Set<string>, Set<string>];
  const differing = [...[...one].filter((line) => !other.has(line)), ...[...other].filter((line) => !one.has(line))];
  return differing.map((line) => line.slice(0, 300));
}

/** All files of a directory, with their paths. */
export function filesIn(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}\n${readFileSync(path, 'latin1')}` : path;
    })
    .join('\n');
}
