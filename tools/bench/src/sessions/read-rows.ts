import { askChild } from '../child.ts';
import type { Figure, Row, Target } from '../row.ts';
import { compared, grown, shown } from './compared.ts';
import type { Histories } from './histories.ts';
import { raceSessions } from './race.ts';
import { inWords, type Scale } from './scale.ts';
import type { SessionFacts, SessionFactsJob } from './session-facts.ts';
import { type Field, kindsOf, type SessionKind } from './session-kind.ts';
import type { Work } from './work.ts';

/** Reads the newest 20 of a short and a long history and appends to them, with new and with open instances. */
export async function readRows(field: Field, histories: Histories, scale: Scale): Promise<Row[]> {
  const { short, long, rounds } = scale;
  const rowsOf = async (
    measure: string,
    work: (items: number) => Omit<Work, 'kind' | 'directory'>,
    target?: Target,
  ) => {
    const works: Work[] = [];
    for (const kind of kindsOf(field)) {
      for (const items of [short, long]) {
        const directory = await histories.toWrite(kind, items);
        works.push({ ...work(items), kind: kind.name, directory });
      }
    }
    const timings = await raceSessions(works, rounds);
    return [
      compared(`${measure}, of ${inWords(short)}`, field, timings, short),
      compared(`${measure}, of ${inWords(long)}`, field, timings, long),
      grown(`${measure}, of ${inWords(long)} vs. of ${inWords(short)}`, field, timings, [short, long], target),
    ];
  };
  const read = (fresh: boolean) => (items: number) => ({ does: 'read', items, times: 20, fresh }) as const;
  const appendFirst = (items: number) =>
    ({ does: items === short ? 'appendToNew' : 'appendToOld', items, times: 3, fresh: true }) as const;
  return [
    ...(await rowsOf('file, newest 20 by a new instance', read(true), { atMost: 2 })),
    ...(await rowsOf('file, newest 20 by an open instance', read(false), { atMost: 2 })),
    ...(await rowsOf('file, first append by a new instance', appendFirst)),
  ];
}

/** The bytes that sessions with a long history read, and the memory that they hold, each in its own process. */
export async function factRows(field: Field, histories: Histories, { long }: Scale): Promise<Row[]> {
  const isInFiles = field.raw.layout !== undefined;
  const rows: Row[] = [];
  for (const does of isInFiles ? (['read', 'append'] as const) : (['appendAll'] as const)) {
    const facts = new Map<SessionKind, SessionFacts>();
    for (const kind of kindsOf(field)) {
      const directory = await histories.toWrite(kind, long);
      const job: SessionFactsJob = { kind: kind.name, directory, warmUp: histories.empty(), does, items: long };
      facts.set(kind, await askChild<SessionFactsJob, SessionFacts>('session-facts', job, ['--expose-gc']));
    }
    const of = (fact: keyof SessionFacts) =>
      shown(
        field,
        (kind): Figure => ({ name: kind.name, unit: 'bytes', value: facts.get(kind)?.[fact] ?? Number.NaN }),
      );
    if (does === 'read' && facts.get(field.keepsake)?.read !== undefined) {
      rows.push({ measure: `file, bytes read for the newest 20 of ${inWords(long)}`, ...of('read') });
    }
    rows.push({ measure: `${AFTER[does]} ${inWords(long)}`, ...of('held') });
  }
  return rows;
}

const AFTER = {
  read: 'file, memory held after the newest 20 of',
  append: 'file, memory held after an append to',
  appendAll: 'in-memory, memory held by',
} as const;
