import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { Area } from '../area.ts';
import { Child } from '../child.ts';
import type { Contender } from './contender.ts';
import { CONTENDERS } from './contenders.ts';
import { factOf } from './fact.ts';

const WRITES = 50;
const PROCESSES = 5;
const ROUNDS = 5;

interface Result {
  readonly name: string;
  readonly note: string;
  readonly processes: number;
  /** Over all rounds. */
  readonly written: number;
  readonly failed: number;
  /** Acknowledged, but not there afterwards. */
  readonly lost: number;
}

/** What is lost of writes that happen at the same moment. */
export const lost: Area = {
  title: `Lost: ${WRITES} concurrent writes, by ${PROCESSES} processes where they share the memory`,
  async run({ quick, directory, say }) {
    const results: Result[] = [];
    for (const contender of CONTENDERS.filter(({ isPeer }) => !quick || !isPeer)) {
      say(contender.name);
      results.push(await compete(contender, directory, quick ? 1 : ROUNDS));
    }
    return { text: report(results), json: results };
  },
};

async function compete(contender: Contender, parent: string, rounds: number): Promise<Result> {
  const { name, note = '', isShared } = contender;
  const processes = isShared ? PROCESSES : 1;
  let failed = 0;
  let lost = 0;
  const children = Array.from({ length: processes }, () => new Child<object>('write-at-once'));
  const count = WRITES / processes;
  for (let round = 0; round < rounds; round++) {
    const directory = mkdtempSync(join(parent, 'lost-'));
    await Promise.all(children.map((child, index) => child.ask({ open: name, directory, from: index * count, count })));
    const acknowledged = await Promise.all(children.map((child) => child.ask<number[]>({ do: 'write' })));
    // In memory, only the same process can read it.
    const texts = await Promise.all(
      children.map((child) => child.ask<string>({ do: isShared ? 'read again' : 'read' })),
    );
    const numbers = acknowledged.flat();
    failed += WRITES - numbers.length;
    lost += numbers.filter((number) => !texts.every((text) => text.includes(factOf(number)))).length;
  }
  await Promise.all(children.map((child) => child.end()));
  return { name, note, processes, written: WRITES * rounds, failed, lost };
}

function report(results: readonly Result[]): string {
  return [
    '| memory | processes | writes | failed | lost after acknowledged | |',
    '| --- | --- | --- | --- | --- | --- |',
    ...results.map(
      ({ name, note, processes, written, failed, lost }) =>
        `| ${name} | ${processes} | ${written} | ${failed} | ${lost} | ${note} |`,
    ),
  ].join('\n');
}
