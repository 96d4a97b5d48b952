import { FileStore } from '@keepsake/file';

const BATCH = 1_000;
const VOCABULARY = 20_000;

/** Opens the store for the first time in this process and searches it. Returns the duration in microseconds. */
export async function openAndSearch(directory: string): Promise<{ us: number; store: FileStore }> {
  const start = performance.now();
  const store = new FileStore({ directory, name: 'bench' });
  const [best] = await store.search(`Which one is marked ${MARK}?`);
  const us = (performance.now() - start) * 1000;
  if (!best?.content.includes(MARK)) throw new Error('The search did not find the marked record.');
  return { us, store };
}

/** Writes records of 6 to 33 words. */
export async function writeRecords(directory: string, count: number): Promise<void> {
  const store = new FileStore({ directory, name: 'bench', durability: 'os' });
  for (let from = 0; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) => from + index);
    await store.putMany(batch.map((number) => ({ id: `record-${number}`, content: content(number, count) })));
  }
  await store.close();
}

/** A word that only one record in the middle contains. */
const MARK = 'heliotrope';

function content(number: number, count: number): string {
  let state = (number + 1) * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
  const words = Array.from({ length: 6 + Math.floor(next() * 28) }, () => word(next()));
  return `${number === Math.floor(count / 2) ? `${MARK} ` : ''}${words.join(' ')}`;
}

/** Few words are frequent and most are rare, as in natural language. */
function word(chance: number): string {
  const rank = Math.floor(VOCABULARY ** chance);
  return `w${rank.toString(36)}o`;
}
