import type { IndexWriter, RecordLog, SavedIndex } from '@keepsake/search';
import { mulberry32 } from '@keepsake/testing/mulberry32';
import { expect } from 'vitest';
import { Follower } from './follower.ts';

/** The variant of most cases. */
export const VARIANT = '["one",3]';

/** How far a log goes now, with the deletions before the first part was read. */
export async function positionOf(log: RecordLog): Promise<{ log: number | string | undefined; change: number }> {
  const follower = new Follower(log);
  await follower.follow();
  const { change = 0, began = 0 } = follower.position ?? {};
  return { log: follower.position?.log, change: Math.max(change, began) };
}

/** Begins to save an index, which must be possible. */
export async function begin(log: RecordLog, variant = VARIANT, known = Infinity): Promise<IndexWriter> {
  const writer = await log.writeIndex(variant, known);
  expect(writer, 'an index can be saved').toBeDefined();
  return writer as IndexWriter;
}

/** Saves an index of everything up to now. */
export async function save(log: RecordLog, text: string, variant = VARIANT): Promise<void> {
  const writer = await begin(log, variant);
  await writer.write([Buffer.from(text)]);
  await writer.publish(await positionOf(log));
}

/** The text of the saved index. */
export async function savedText(log: RecordLog, variant = VARIANT): Promise<string | undefined> {
  const saved = await log.readIndex(variant);
  return saved && Buffer.concat(await allPages(saved)).toString();
}

/** All pages of a saved index. */
export async function allPages(saved: SavedIndex): Promise<Uint8Array[]> {
  const numbers = Array.from({ length: saved.count }, (_, page) => page);
  const others = numbers.filter((page) => !saved.pages.has(page));
  const pages = new Map([...saved.pages, ...(others.length === 0 ? [] : await saved.read(others))]);
  return numbers.map((page) => pages.get(page) ?? Buffer.from('missing'));
}

/** Checks that an index can't be published, and that another one can then. */
export async function expectRefused(log: RecordLog, publish: () => Promise<void>): Promise<void> {
  await expect(publish()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await savedText(log), 'nothing is published').toBeUndefined();
}

/** Pages of random bytes. */
export function randomPages(sizes: readonly number[]): Buffer[] {
  const random = mulberry32(sizes.length);
  return sizes.map((size) => Buffer.from(Uint8Array.from({ length: size }, () => random() * 256)));
}
