import { type Area, ofRows, type RunOptions } from '../area.ts';
import { type Contender, contest, type Timings } from '../contest.ts';
import { byClock } from '../measure.ts';
import { figure, judged, type Row, ratios } from '../row.ts';
import { FIELDS } from './fields.ts';
import type { SaverField, SaverKind } from './saver-kind.ts';
import { Thread } from './thread.ts';

interface Scale {
  readonly short: number;
  readonly long: number;
  readonly rounds: number;
  /** Operations per round. */
  readonly times: number;
  readonly withPeers: boolean;
}

const FULL: Scale = { short: 10, long: 1_000, rounds: 25, times: 10, withPeers: true };
const QUICK: Scale = { short: 2, long: 5, rounds: 2, times: 2, withPeers: false };

/** Checkpoints of LangGraph, on each backend. */
export const langgraph: Area = {
  title: 'LangGraph: a checkpoint of 6 kB with the write of one task, in threads of different lengths',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    const rows: Row[] = [];
    for (const open of FIELDS) {
      const { close, ...field } = await open(directory);
      try {
        const peers = field.peers.filter(() => scale.withPeers);
        rows.push(...(await rowsOf({ ...field, peers }, scale, say)));
      } finally {
        await close();
      }
    }
    return ofRows(rows);
  },
};

async function rowsOf(field: SaverField, scale: Scale, say: RunOptions['say']): Promise<Row[]> {
  const { backend } = field;
  const rows: Row[] = [];
  for (const length of [scale.short, scale.long]) {
    const words = `${length.toLocaleString('en')} checkpoints, ${backend}`;
    for (const does of ['put', 'getTuple'] as const) {
      say(`${does} at ${words}`);
      const contenders = [field.keepsake, ...field.peers].map((kind) => contender(kind, does, length, scale.times));
      rows.push(toRow(`${does} at ${words}`, field, await contest(await Promise.all(contenders), scale.rounds)));
    }
  }
  return rows;
}

let threads = 0;

async function contender(kind: SaverKind, does: 'put' | 'getTuple', length: number, times: number): Promise<Contender> {
  const saver = await kind.open();
  const newThread = async () => {
    const thread = new Thread(saver, `thread ${++threads}`);
    await thread.fill(length);
    return thread;
  };
  // A short thread would grow by many times its length.
  const isRenewed = does === 'put' && length < times * 10;
  let thread = await newThread();
  return {
    name: kind.name,
    async play() {
      if (isRenewed) thread = await newThread();
      return byClock(times, () => (does === 'put' ? thread.put() : thread.getLatest()));
    },
    finish: () => thread.getLatest(),
  };
}

function toRow(measure: string, { keepsake, peers }: SaverField, timings: Timings): Row {
  const times = (kind: SaverKind) => timings[kind.name] as readonly number[];
  const of = (kind: SaverKind) => figure(kind.name, 'µs', times(kind));
  return {
    measure,
    keepsake: of(keepsake),
    peers: Object.fromEntries(peers.map((peer) => [peer.name, of(peer)])),
    // How many times as fast as the peer.
    ...(peers[0] === undefined ? {} : judged(ratios(times(peers[0]), times(keepsake)))),
  };
}
