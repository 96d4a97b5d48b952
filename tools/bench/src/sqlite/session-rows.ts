import { join } from 'node:path';
import type { RunOptions } from '../area.ts';
import { type Contender, contest, type Timings } from '../contest.ts';
import type { Row } from '../row.ts';
import { compared, grown } from '../sessions/compared.ts';
import { nameOf } from '../sessions/race.ts';
import { inWords, type Scale } from '../sessions/scale.ts';
import { type Field, kindsOf, type SessionKind } from '../sessions/session-kind.ts';
import { LongSession } from './long-session.ts';
import { sessionKinds } from './session-kinds.ts';

const APPEND = { atLeast: 0.8 };
const NEWEST = { atLeast: 0.5 };
const GROWTH = { atMost: 1.5 };

/** Appends turns one by one and reads the newest items, with a short and a long history. */
export async function sessionRows(scale: Scale, directory: string, say: RunOptions['say']): Promise<Row[]> {
  const { short, long, rounds, withPeers } = scale;
  const both = [short, long] as const;
  const [flushed, unflushed] = [sessionKinds('sync'), sessionKinds('os')].map((field) =>
    withPeers ? field : { ...field, peers: [] },
  ) as [Field, Field];
  say('writing sessions');
  const sessions = await written(unflushed, both, directory);
  const time = async (
    field: Field,
    play: (session: LongSession, name: string, kind: SessionKind) => Promise<Contender>,
  ): Promise<Timings> => {
    const contenders = kindsOf(field).flatMap((kind) =>
      both.map((items) => play(sessions(kind, items), nameOf(kind.name, items), kind)),
    );
    return contest(await Promise.all(contenders), rounds);
  };
  say('appending');
  const synced = await time(flushed, (session, name, kind) => session.appending(name, kind));
  const unsynced = await time(unflushed, (session, name, kind) => session.appending(name, kind));
  say('reading the newest');
  const reads = await time(flushed, (session, name, kind) => session.reading(name, kind));
  const [few, many] = both.map(inWords);
  return [
    compared(`append, at ${few}`, flushed, synced, short, APPEND),
    compared(`append, at ${many}`, flushed, synced, long, APPEND),
    grown(`append, at ${many} as at ${few}`, flushed, synced, both, GROWTH),
    compared(`append, not flushed, at ${few}`, unflushed, unsynced, short),
    compared(`append, not flushed, at ${many}`, unflushed, unsynced, long),
    compared(`newest 20 of ${few}`, flushed, reads, short, NEWEST),
    compared(`newest 20 of ${many}`, flushed, reads, long, NEWEST),
    grown(`newest 20, of ${many} as of ${few}`, flushed, reads, both, GROWTH),
  ];
}

/** Writes a session of each kind and each number of items. */
async function written(
  field: Field,
  lengths: readonly number[],
  directory: string,
): Promise<(kind: SessionKind, items: number) => LongSession> {
  const sessions = new Map<string, LongSession>();
  const nameIn = (kind: SessionKind, items: number) => `${kind.layout}-${items}`;
  for (const kind of kindsOf(field)) {
    for (const items of lengths) {
      const session = new LongSession(join(directory, nameIn(kind, items)));
      await session.fill(kind, items);
      sessions.set(nameIn(kind, items), session);
    }
  }
  return (kind, items) => sessions.get(nameIn(kind, items)) as LongSession;
}
