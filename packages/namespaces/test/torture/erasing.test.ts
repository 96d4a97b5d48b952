import { once } from 'node:events';
import { join } from 'node:path';
import { isMemoryError, type RecordStore } from '@keepsake/core';
import { startProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { untilStill } from '@keepsake/testing/until-still';
import { expect, it } from 'vitest';
import { type ErasureReceipt, MemorySpace } from '../../src/index.ts';
import type { Place } from '../backends/backend.ts';
import { onEveryBackend } from '../backends/index.ts';

const AGENTS = 5;
const CHILDREN = 9;
const RECORDS = AGENTS * (CHILDREN + 1) * rounds(500);
const NEIGHBOURS = AGENTS * (CHILDREN + 1) * rounds(10);
const SESSIONS = 10;
const SHARED = 50;
const SECRET = 'sentinel-9d2f';
const KILLS = [4, 1, 12, 25].slice(0, rounds(4));

const agents = Object.fromEntries(
  Array.from({ length: AGENTS }, (_, n) => [n === 0 ? 'bot' : `bot ${n}`, { sharedNamespaces: ['docs'] }]),
);
const pools = { docs: { readers: ['*'], writers: ['*'] } };
const alice = { id: 'alice' };

/** Stores the records under several agents and their child namespaces, in conversations, and in a pool. */
async function fill(space: MemorySpace, id: string, records: number, word: string): Promise<void> {
  for (const agent of Object.keys(agents)) {
    const { memory, session } = bound(space, id, agent);
    for (let child = 0; child <= CHILDREN; child++) {
      const at = child === 0 ? memory : memory.within([`chat ${child}`]);
      await at.putMany(
        Array.from({ length: records / AGENTS / (CHILDREN + 1) }, (_, index) => ({
          content: `${word} tea ${agent} ${child} ${index}`,
          metadata: { note: word },
          turn: { thread: word, index, speaker: word },
        })),
      );
    }
    for (let n = 0; n < SESSIONS / AGENTS; n++) await session(`s${n}`).addItems([{ content: word }, { content: word }]);
  }
  const pool = space.as({ principal: { id }, agent: 'bot' }).pool('docs');
  await pool.putMany(Array.from({ length: SHARED }, (_, n) => ({ id: `${id} ${n}`, content: `${word} shared ${n}` })));
}

function bound(space: MemorySpace, id: string, agent: string) {
  const scope = space.as({ principal: { id }, agent });
  return { memory: scope.memory, session: (name: string) => scope.session(name) };
}

/** The number of records of a user, counted in every way. */
async function left({ store, sessions }: Place): Promise<number> {
  let found = 0;
  const space = new MemorySpace({ store, sessions, agents, pools });
  for (const agent of Object.keys(agents)) {
    const scope = space.as({ principal: alice, agent });
    const places: RecordStore[] = [scope.memory];
    for (let n = 0; n <= CHILDREN; n++)
      places.push(scope.memory.within([`chat ${n}`]), scope.memory.within([`late ${n}`]));
    for (const place of places) {
      found += (await place.list()).items.length + (await place.search(`${SECRET} tea late`)).length;
    }
    found += (await scope.memory.namespaces()).items.length + (await scope.sessions.list()).items.length;
    for (const name of ['s0', 's1', 'late 0']) found += (await scope.session(name).getItems()).length;
  }
  const pool = space.as({ principal: alice, agent: 'bot' }).pool('docs');
  found += (await pool.list({ filter: { writtenBy: 'u:alice' } })).items.length;
  found += (await pool.search(SECRET)).length;
  return found;
}

onEveryBackend((newPlace, backend) => {
  it(`${count(RECORDS)} records are erased while writers run, with kills and reruns: 0 left`, async (context) => {
    const place = newPlace();
    const { store, sessions, address } = place;
    const space = new MemorySpace({ store, sessions, agents, pools });
    await fill(space, 'alice', RECORDS, SECRET);
    await fill(space, 'alice2', NEIGHBOURS, 'neighbour');
    const before = await place.raw();
    expect(before).toContain(SECRET);

    const { kills, written } = address === undefined ? await failOnTheWay(place) : await killOnTheWay(backend, address);
    await untilStill(() => left(place));
    // The writers have stopped: the last run counts what was left.
    const expected = await space.eraseUser(alice, { dryRun: true, sharedEntries: true });
    const receipt = address === undefined ? await erase(space) : await eraseElsewhere(backend, address);
    for (const name of ['memories', 'outboxRecords', 'sharedEntries', 'sessions', 'sessionItems'] as const) {
      expect([name, receipt[name]]).toEqual([name, expected[name]]);
    }
    expect(receipt.memories).toBeGreaterThan(0);
    expect(await left(place)).toBe(0);
    const raw = await place.raw();
    expect(raw).not.toContain(SECRET);
    expect(raw).not.toMatch(/alice(?!2)/);

    const again = await space.eraseUser(alice, { sharedEntries: true });
    expect(again).toMatchObject({ memories: 0, sessions: 0, sharedEntries: 0, namespaces: [] });
    const neighbour = await space.eraseUser({ id: 'alice2' }, { dryRun: true, sharedEntries: true });
    expect(neighbour).toMatchObject({
      memories: NEIGHBOURS,
      sessions: SESSIONS,
      sessionItems: 2 * SESSIONS,
      sharedEntries: SHARED,
    });
    show(
      context,
      31,
      `${backend}: ${count(RECORDS)} records, ${written}, ${kills}, 0 left; the last receipt counts ${count(receipt.memories)} memories, ${count(receipt.sharedEntries)} shared, ${receipt.sessions} sessions`,
    );
  });
});

function erase(space: MemorySpace): Promise<ErasureReceipt> {
  return space.eraseUser(alice, { sharedEntries: true });
}

async function eraseElsewhere(backend: string, address: string): Promise<ErasureReceipt> {
  const program = run('erase', backend, address, 'alice');
  let text = '';
  program.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(program, 'close');
  expect(code).toBe(0);
  return JSON.parse(text);
}

/** Two processes write while erasing processes die one after another during a removal. */
async function killOnTheWay(backend: string, address: string) {
  const writers = [
    run('keep-writing', backend, address, 'alice', SECRET),
    run('keep-writing', backend, address, 'alice', SECRET),
  ];
  await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')));
  for (const at of KILLS) {
    const [code, signal] = await once(run('erase', backend, address, 'alice', `${at}`), 'close');
    expect([code, signal]).toEqual([null, 'SIGKILL']);
  }
  for (const writer of writers) {
    const closed = once(writer, 'close');
    writer.kill('SIGKILL');
    await closed;
  }
  return { kills: `${KILLS.length} times killed by SIGKILL`, written: '2 processes writing' };
}

/** If data does not outlive the process, the store fails instead, after or before a removal. */
async function failOnTheWay({ store, sessions }: Place) {
  let stop = false;
  let written = 0;
  const space = new MemorySpace({ store, sessions, agents, pools });
  const scope = space.as({ principal: alice, agent: 'bot' });
  // Writes during the erasure are refused, so they are retried.
  const writers = Array.from({ length: 2 }, async () => {
    while (!stop) {
      try {
        await scope.memory.put({ content: `${SECRET} late ${written}` });
        await scope.session('late 0').addItems([{ content: SECRET }]);
        written++;
      } catch (error) {
        if (!isMemoryError(error, 'CONFLICT')) throw error;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  for (const at of KILLS) {
    let removals = 0;
    const failing: RecordStore = new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (name !== 'within') return typeof value === 'function' ? value.bind(target) : value;
        return (...args: Parameters<RecordStore['within']>) => {
          const place = target.within(...args);
          const { clear } = place;
          place.clear = async (...given) => {
            const isLast = ++removals === at;
            // Lets the writers run.
            await new Promise((resolve) => setImmediate(resolve));
            if (isLast && at % 2 === 0) throw new Error('cut off');
            const cleared = await clear.apply(place, given);
            if (isLast) throw new Error('cut off');
            return cleared;
          };
          return place;
        };
      },
    });
    const cut = new MemorySpace({ store: failing, sessions, agents, pools });
    await expect(erase(cut)).rejects.toThrow('cut off');
  }
  stop = true;
  await Promise.all(writers);
  return { kills: `${KILLS.length} interruptions`, written: `${count(written)} written during the erasure` };
}

function run(name: string, ...args: readonly string[]) {
  return startProgram(join(import.meta.dirname, '../programs', `${name}.ts`), args);
}
