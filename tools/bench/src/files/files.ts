import { type Area, ofRows } from '../area.ts';
import { askChild } from '../child.ts';
import type { StoreOpening } from '../children/open-store.ts';
import { aimed, figure, type Row } from '../row.ts';
import { median } from '../statistics.ts';
import { openAndSearch, writeRecords } from './open-and-search.ts';

const TARGET = { atMost: 0.3, unit: 's' } as const;

/** The cost of opening an existing file store, and its memory. */
export const files: Area = {
  title: 'Files: opening an existing store',
  async run({ quick, directory, say }) {
    const count = quick ? 500 : 100_000;
    const rounds = quick ? 2 : 7;
    say('writing records');
    await writeRecords(directory, count);
    say('opening the store');
    const inNewProcess: StoreOpening[] = [];
    const inThisProcess: number[] = [];
    for (let round = 0; round < rounds; round++) {
      inNewProcess.push(await askChild('open-store', { directory }, ['--expose-gc']));
      inThisProcess.push((await openAndSearch(directory)).us);
    }
    const measure = `open ${count.toLocaleString('en')} records and search once`;
    const held = median(inNewProcess.map((opening) => opening.held));
    return ofRows([
      timeRow(
        `${measure}, new process`,
        inNewProcess.map(({ us }) => us),
      ),
      timeRow(`${measure}, new instance`, inThisProcess),
      { measure: 'memory held by the store, after a search', keepsake: { name: NAME, unit: 'bytes', value: held } },
    ]);
  },
};

const NAME = 'FileStore';

function timeRow(measure: string, us: readonly number[]): Row {
  return { measure, ...aimed(figure(NAME, 'µs', us), TARGET) };
}
