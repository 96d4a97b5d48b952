import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area.ts';
import { askChild } from '../child.ts';
import type { ScaleRequest } from '../children/scale.ts';
import { amount, grid } from '../table.ts';
import { BACKENDS } from './backends/backends.ts';
import type { Times } from './measure.ts';

const SIZES = [10_000, 100_000, 1_000_000];

/** How search, list, opening and compaction grow with the number of records, and for how long each stops a process. */
export const scale: Area = {
  title: 'Scale: from 10,000 to 1,000,000 records',
  async run({ quick, directory, only, maxRecords = Infinity, say }) {
    const sizes = quick ? [300] : SIZES.filter((size) => size <= maxRecords);
    const names = Object.keys(BACKENDS).filter((name) => only === undefined || only.includes(name));
    const results: Record<string, Record<number, Times>> = {};
    const tables: string[] = [];
    for (const name of names) {
      const bySize: Record<number, Times> = {};
      for (const size of sizes) {
        say(`${name}, ${size.toLocaleString('en')} records`);
        const place = join(directory, `${name}-${size}`);
        mkdirSync(place);
        bySize[size] = await measure(name, place, size);
        rmSync(place, { recursive: true, force: true });
      }
      results[name] = bySize;
      tables.push(`### ${BACKENDS[name]?.name}\n\n${tableOf(bySize)}`);
    }
    return { text: tables.join('\n\n'), json: results };
  },
};

async function measure(backend: string, directory: string, count: number): Promise<Times> {
  const ask = (what: ScaleRequest['what']) =>
    askChild<ScaleRequest, Times>('scale', { backend, directory, count, what });
  const times = await ask('write and search');
  if (BACKENDS[backend]?.reopens !== true) return times;
  return { ...times, ...(await ask('open')), ...(await ask('compact')) };
}

function tableOf(bySize: Readonly<Record<number, Times>>): string {
  const sizes = Object.keys(bySize).map(Number);
  const measures = [...new Set(Object.values(bySize).flatMap((times) => Object.keys(times)))];
  const cell = (measure: string, size: number) => {
    const value = bySize[size]?.[measure];
    return value === undefined ? '' : amount(value, measure.endsWith(', memory') ? 'bytes' : 'µs');
  };
  return grid(
    ['measure', ...sizes.map((size) => size.toLocaleString('en'))],
    measures.map((measure) => [measure, ...sizes.map((size) => cell(measure, size))]),
  );
}
