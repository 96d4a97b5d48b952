import { askChild } from '../child.ts';
import { race } from '../race.ts';
import { aimed, figure, judged, type Row, ratios, type Target } from '../row.ts';
import { median } from '../statistics.ts';
import type { Flooded } from './flood.ts';
import type { Scale } from './scale.ts';
import type { Searched } from './stores.ts';
import type { InjectWork, SearchWork, TurnWork } from './work.ts';

const KEEPSAKE = 'Keepsake';
const RAW = 'the stores alone';
const STRANDS = 'Strands SDK';

const IMMEDIATE: Searched = { afterMs: 0 };
const INJECT = { atMost: 0.2, unit: 'ms' } as const;
const TURN = { atMost: 20, unit: 'µs' } as const;

/** Searches three stores that answer immediately, so that only the manager's own cost is measured. */
export async function searchRows({ rounds, withPeers }: Scale): Promise<Row[]> {
  const work = { does: 'search', stores: [IMMEDIATE, IMMEDIATE, IMMEDIATE], times: 1_000 } as const;
  const works = new Map<string, SearchWork>([
    [RAW, { ...work, by: 'stores' }],
    [KEEPSAKE, { ...work, by: 'keepsake' }],
  ]);
  if (withPeers) works.set(STRANDS, { ...work, by: 'strands' });
  const timings = await race('manager', works, rounds);
  const of = (name: string) => figure(name, 'µs', timings[name] as readonly number[]);
  return [
    {
      measure: 'search, 3 stores that answer immediately',
      raw: of(RAW),
      keepsake: of(KEEPSAKE),
      peers: withPeers ? { [STRANDS]: of(STRANDS) } : {},
    },
  ];
}

/** The cost of injection, minus the slowest store's own time. */
export async function injectRows({ rounds, records }: Scale): Promise<Row[]> {
  const cases: readonly (readonly [string, InjectWork])[] = [
    ['1 store that answers immediately', injecting(300, IMMEDIATE)],
    ['3 stores that answer immediately', injecting(300, IMMEDIATE, IMMEDIATE, IMMEDIATE)],
    ['3 stores of 2, 4 and 6 ms', injecting(20, { afterMs: 2 }, { afterMs: 4 }, { afterMs: 6 })],
    [`InMemoryStore of ${records.toLocaleString('en')} records`, injecting(200, { records })],
  ];
  const works = cases.flatMap(([name, work]): [string, InjectWork][] => [
    [`${name}, ${KEEPSAKE}`, work],
    [`${name}, ${RAW}`, { ...work, by: 'stores' }],
  ]);
  const timings = await race('manager', new Map(works), rounds);
  return cases.map(([name]) => ({
    measure: `inject, minus the slowest store's own time, ${name}`,
    raw: figure(RAW, 'µs', timings[`${name}, ${RAW}`] as readonly number[]),
    ...aimed(figure(KEEPSAKE, 'µs', timings[`${name}, ${KEEPSAKE}`] as readonly number[]), INJECT),
  }));
}

function injecting(times: number, ...stores: Searched[]): InjectWork {
  return { does: 'inject', by: 'keepsake', stores, times };
}

/** The cost of a turn. */
export async function turnRows({ rounds }: Scale, directory: string): Promise<Row[]> {
  const work = { does: 'turns', every: 5, waiting: 0, recalled: 0, times: 500 } as const;
  const cases: readonly (readonly [string, TurnWork, Target?])[] = [
    ['extraction every 5 turns', work, TURN],
    ['extraction every turn', { ...work, every: 1 }, TURN],
    ['extraction every turn, 10,000 messages waiting', { ...work, every: 1, waiting: 10_000 }, TURN],
    ['extraction every 5 turns, 5 entries recalled', { ...work, recalled: 5 }, TURN],
    ['extraction every 5 turns, 200 entries recalled', { ...work, recalled: 200 }, TURN],
    ['with an outbox of files, acknowledged', { ...work, outbox: directory, times: 50 }],
  ];
  const timings = await race('manager', new Map(cases.map(([name, work]) => [name, work])), rounds);
  return cases.map(([name, , target]) => ({
    measure: `observe + endTurn, ${name}`,
    ...aimed(figure(KEEPSAKE, 'µs', timings[name] as readonly number[]), target),
  }));
}

/** The memory and the losses if turns are observed faster than they are saved. */
export async function floodRows({ floods, turns: [some, many] }: Scale): Promise<Row[]> {
  const outcomes = { some: [] as Flooded[], many: [] as Flooded[] };
  for (let round = 0; round < floods; round++) {
    outcomes.some.push(await askChild('flood', { turns: some }, ['--expose-gc']));
    outcomes.many.push(await askChild('flood', { turns: many }, ['--expose-gc']));
  }
  const held = (of: readonly Flooded[]) => of.map((outcome) => outcome.held);
  const growth = ratios(held(outcomes.many), held(outcomes.some));
  const faults = [...outcomes.some, ...outcomes.many].reduce((sum, outcome) => sum + outcome.faults, 0);
  const [few, lots] = [some.toLocaleString('en'), many.toLocaleString('en')];
  const bytes = (of: readonly Flooded[]) => ({ name: KEEPSAKE, unit: 'bytes', value: median(held(of)) }) as const;
  return [
    { measure: `memory held after ${few} turns, none saved yet`, keepsake: bytes(outcomes.some) },
    { measure: `memory held after ${lots} turns, none saved yet`, keepsake: bytes(outcomes.many) },
    {
      measure: `memory held after ${lots} turns vs. after ${few}`,
      keepsake: figure(KEEPSAKE, 'times', growth),
      ...judged(growth, { atMost: 1.2 }),
    },
    {
      measure: 'messages neither saved nor reported as dropped, or saved twice',
      ...aimed({ name: KEEPSAKE, unit: 'faults', value: faults }, { atMost: 0 }),
    },
  ];
}
