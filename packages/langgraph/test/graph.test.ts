import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import type { StateSnapshot } from '@langchain/langgraph';
import { type BaseCheckpointSaver, MemorySaver, type PendingWrite } from '@langchain/langgraph-checkpoint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeSaver, KeepsakeStore } from '../src/index.ts';
import type { Place, RunningBackend } from './backends/backend.ts';
import { BACKENDS } from './backends/backends.ts';
import { approve, inThread, refundGraph } from './support/refund-graph.ts';

const program = join(import.meta.dirname, 'programs/refund.ts');
const LOG = ['priced', 'checked', 'approved 30', 'paid 30'];
const THREADS = rounds(50, 10);
const STEPS = ['price', 'check', 'approve', 'pay'];

describe.each(BACKENDS)('a graph of LangGraph on $name', ({ name, start, reach }) => {
  let running: RunningBackend;
  beforeAll(async () => {
    running = await start();
  });
  afterAll(() => running.stop());

  const openGraph = (place: Place) => {
    const store = place.open();
    return refundGraph(new KeepsakeSaver({ store }), new KeepsakeStore({ store }));
  };

  it('pauses at an interrupt and resumes with another saver on the same store', async () => {
    const place = running.place();
    const paused = await openGraph(place).invoke({ order: 'A1' }, inThread('t'));
    expect(paused).toMatchObject({
      __interrupt__: [{ value: { question: 'Refund 40 €?' } }],
      steps: ['price', 'check'],
    });
    const state = await openGraph(place).invoke(approve(30), inThread('t'));
    expect(state).toMatchObject({ amount: 30, log: LOG, steps: STEPS });
    const [item] = await new KeepsakeStore({ store: place.open() }).search(['refunds']);
    expect(item).toMatchObject({ namespace: ['refunds', 'A1'], key: 'last', value: { amount: 30 } });
  });

  it.runIf(reach !== undefined)(
    'pauses in one process and resumes in another',
    // A process loads LangGraph. By day, it opens files: other processes open each backend in the tests of its package.
    name === 'file' ? {} : { tags: ['nightly'] },
    async () => {
      const place = running.place();
      const paused = await openGraph(place).invoke({ order: 'A1' }, inThread('A1'));
      expect(paused).toMatchObject({ __interrupt__: [{ value: { question: 'Refund 40 €?' } }] });
      // Before 24.15, Node warns that SQLite is experimental.
      const environment = { NODE_NO_WARNINGS: '1' };
      const resumed = await runProgram(program, [name, place.address ?? '', 'A1', '30'], { environment });
      expect(resumed).toMatchObject({ status: 0, stderr: '' });
      expect(JSON.parse(resumed.stdout)).toMatchObject({ order: 'A1', amount: 30, log: LOG, steps: STEPS });
    },
  );

  it('travels in time: every earlier state comes back, and a fork leaves the first branch as it was', async () => {
    const place = running.place();
    await openGraph(place).invoke({ order: 'A1' }, inThread('t'));
    await openGraph(place).invoke(approve(30), inThread('t'));
    const graph = openGraph(place);
    const history = await historyOf(graph.getStateHistory(inThread('t')));
    expect(history.map(({ next, values }) => [next[0], values.log, values.steps])).toEqual(
      [
        [undefined, LOG, STEPS],
        ['pay', LOG.slice(0, 3), STEPS.slice(0, 3)],
        ['approve', LOG.slice(0, 2), STEPS.slice(0, 2)],
        ['check', LOG.slice(0, 1), STEPS.slice(0, 1)],
        ['price', [], []],
        ['__start__', undefined, []],
      ].map(([next, log, steps]) => [next, log ?? expect.anything(), steps]),
    );
    const beforeApproval = history[2] as StateSnapshot;
    const fork = await graph.updateState(beforeApproval.config, { steps: ['edited'] }, 'check');
    await graph.invoke(null, fork);
    const forked = { amount: 7, log: ['priced', 'checked', 'approved 7', 'paid 7'] };
    expect(await graph.invoke(approve(7), inThread('t'))).toMatchObject(forked);
    const again = openGraph(place);
    for (const { config, values } of history) expect((await again.getState(config)).values).toEqual(values);
    expect((await again.getState(inThread('t'))).values).toMatchObject(forked);
  });

  it('continues from a state that was edited', async () => {
    const graph = openGraph(running.place());
    await graph.invoke({ order: 'A1' }, inThread('t'));
    await graph.updateState(inThread('t'), { amount: 99 });
    const state = await graph.invoke(approve(5), inThread('t'));
    expect(state).toMatchObject({ amount: 5, log: ['priced', 'checked', 'approved 5', 'paid 5'] });
  });

  it('continues threads that were copied from MemorySaver, which leaves them as they were', async () => {
    const [memory, saver] = [new MemorySaver(), new KeepsakeSaver({ store: running.place().open() })];
    await refundGraph(memory).invoke({ order: 'A1' }, inThread('paused'));
    await refundGraph(memory).invoke({ order: 'A2' }, inThread('done'));
    await refundGraph(memory).invoke(approve(30), inThread('done'));
    for (let time = 0; time < 2; time++) await copyThreads(memory, saver);
    const graph = refundGraph(saver);
    for (const thread of ['paused', 'done'].map(inThread)) {
      const states = (await historyOf(refundGraph(memory).getStateHistory(thread))).map(({ values }) => values);
      expect((await historyOf(graph.getStateHistory(thread))).map(({ values }) => values)).toEqual(states);
    }
    expect(await graph.invoke(approve(30), inThread('paused'))).toMatchObject({ order: 'A1', log: LOG, steps: STEPS });
    expect((await refundGraph(memory).getState(inThread('paused'))).next).toEqual(['approve']);
  });

  it(`keeps ${THREADS} threads apart that run at once`, async () => {
    const place = running.place();
    const amounts = Array.from({ length: THREADS }, (_, n) => n + 1);
    const graph = openGraph(place);
    await Promise.all(amounts.map((n) => graph.invoke({ order: `order ${n}` }, inThread(`thread ${n}`))));
    await Promise.all(amounts.map((n) => openGraph(place).invoke(approve(n), inThread(`thread ${n}`))));
    const states = await Promise.all(amounts.map(async (n) => (await graph.getState(inThread(`thread ${n}`))).values));
    expect(states).toEqual(
      amounts.map((n) => ({
        ...{ order: `order ${n}`, amount: n, steps: STEPS },
        log: ['priced', 'checked', `approved ${n}`, `paid ${n}`],
      })),
    );
  });
});

/** As in docs/coming-from-langgraph.md. */
async function copyThreads(from: BaseCheckpointSaver, to: BaseCheckpointSaver): Promise<void> {
  for await (const { config, parentConfig, checkpoint, metadata, pendingWrites = [] } of from.list({})) {
    const { thread_id, checkpoint_ns } = config.configurable ?? {};
    const parent = parentConfig ?? { configurable: { thread_id, checkpoint_ns } };
    const { channel_versions: versions } = checkpoint;
    const copy = await to.put(parent, checkpoint, metadata ?? { source: 'loop', step: 0, parents: {} }, versions);
    const byTask = Map.groupBy(pendingWrites, ([task]) => task);
    for (const [task, writes] of byTask) {
      const all = writes.map(([, channel, value]): PendingWrite => [channel, value]);
      await to.putWrites(copy, all, task);
    }
  }
}

async function historyOf(snapshots: AsyncIterable<StateSnapshot>): Promise<StateSnapshot[]> {
  const all: StateSnapshot[] = [];
  for await (const snapshot of snapshots) all.push(snapshot);
  return all;
}
