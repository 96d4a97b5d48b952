import { type Area, ofRows } from '../area.ts';
import { type AppendPlan, appendRows } from './append-rows.ts';
import { atOnceRows } from './at-once-rows.ts';
import { Histories } from './histories.ts';
import { exampleFileSession, flushed, inFiles, inMemory, rawAppendFileSync } from './kinds.ts';
import { factRows, readRows } from './read-rows.ts';
import { FULL, QUICK } from './scale.ts';
import type { Field } from './session-kind.ts';

/** Sessions in memory and in files. */
export const sessions: Area = {
  title: 'Sessions: a turn is two items, together about 1 KB',
  async run({ quick, directory, say }) {
    const scale = quick ? QUICK : FULL;
    const histories = new Histories(directory);
    const field = (all: Field): Field => (scale.withPeers ? all : { ...all, peers: [] });
    const plan = (turns: number, sessions: number): AppendPlan => ({ histories, scale, turns, sessions });
    const rival = scale.withPeers ? { rival: { peer: exampleFileSession, times: 1_000 } } : {};

    say('appending in memory');
    const memory = await appendRows('in-memory append', field(inMemory), { atLeast: 0.7 }, plan(50, 20));
    say('measuring the memory of sessions in memory');
    memory.push(...(await factRows(field(inMemory), histories, scale)));
    say('appending to files');
    const filePlan = { ...plan(100, 1), also: rawAppendFileSync, ...rival };
    const appends = await appendRows("file append, 'os'", field(inFiles), { atLeast: 0.8 }, filePlan);
    say('appending to files with flushing');
    appends.push(...(await appendRows("file append, 'sync'", flushed, { atLeast: 0.8 }, plan(50, 1))));
    say('reading the newest items from files');
    const reads = await readRows(field(inFiles), histories, scale);
    say('measuring the reads and the memory of sessions in files');
    reads.push(...(await factRows(field(inFiles), histories, scale)));
    say('appending concurrently');
    const atOnce = await atOnceRows(field(inFiles), histories, scale);
    return ofRows([...memory, ...appends, ...reads, ...atOnce]);
  },
};
