import { mutateJsonText } from './json.ts';
import type { Random } from './random.ts';
import { mutateText } from './text.ts';

/** What is used of a record. */
interface DamagedRecord {
  readonly id: string;
  readonly content: string;
  readonly metadata: object;
  readonly index: boolean;
}

/** What is used of a record store. */
interface Records {
  readonly namespace: readonly string[];
  list(options: { limit: number }): Promise<{ readonly items: readonly DamagedRecord[] }>;
  namespaces(): Promise<{ readonly items: readonly { readonly namespace: readonly string[] }[] }>;
  within(segments: readonly string[]): Records;
  put(record: { id: string; content: string; metadata: never; index: boolean }): Promise<unknown>;
}

/** Changes the contents of one to three records of a store and below it, as a program with a fault would. */
export async function damageRecords(random: Random, root: Records): Promise<void> {
  const { items } = await root.namespaces();
  const depth = root.namespace.length;
  const places = [root, ...items.map(({ namespace }) => root.within(namespace.slice(depth)))];
  const found: { readonly place: Records; readonly record: DamagedRecord }[] = [];
  for (const place of places) {
    const { items: records } = await place.list({ limit: 100 });
    for (const record of records) found.push({ place, record });
  }
  for (let changes = 1 + random.whole(3); changes > 0; changes--) {
    const { place, record } = random.pick(found);
    const { id, index, metadata } = record;
    const content = damaged(random, record.content);
    if (content.trim() === '') continue;
    await place.put({ id, index, metadata: metadata as never, content });
  }
}

function damaged(random: Random, content: string): string {
  try {
    return mutateJsonText(random, [JSON.parse(content)]).slice(0, 500_000);
  } catch {
    return mutateText(random, content).slice(0, 250_000);
  }
}
