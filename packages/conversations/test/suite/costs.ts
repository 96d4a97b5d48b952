import { rounds } from '@keepsake/testing/share';
import { expect, it } from 'vitest';
import { ConversationMemory } from '../../src/index.ts';
import { turn, user } from '../support/items.ts';
import { ScriptedModel } from '../support/scripted-model.ts';
import { newTraffic, watchedStore } from '../support/watched-store.ts';
import type { Suite } from './suite.ts';

/** A turn whose length does not depend on its number. */
const numbered = (n: number) => turn(`turn ${String(n).padStart(6, '0')}`, `run ${String(n).padStart(6, '0')}`);

/** How many runs the longest session has. */
const LAST = rounds(1_000);
/** The number of an early run, after which there are more turns than one page has. */
const EARLY = rounds(100, 50);

export function costCases(suite: Suite): void {
  it(`saving run ${LAST} writes as much as run 10, and loading 20 turns reads as much at run ${LAST} as at run ${EARLY}`, {
    timeout: 600_000,
  }, async () => {
    const traffic = newTraffic();
    const place = suite.backend.makePlace();
    const agent = new ConversationMemory({
      store: watchedStore(place.open(), traffic),
      model: new ScriptedModel({ summary: 'Always the same.', name: 'Alice' }),
      fullSessionMemory: true,
      summaryMemory: true,
      userAnalysisMemory: { dynamic: true },
      load: { lastTurns: 20 },
    }).for('agent', { sessionId: 'long', userId: 'alice' });
    const written = new Map<number, number>();
    const onDisk = new Map<number, number>();
    const readBySave = new Map<number, number>();
    const read = new Map<number, number>();
    for (let n = 1; n <= LAST; n++) {
      const [writtenBefore, readBefore] = [traffic.bytesWritten, traffic.recordsRead];
      const diskBefore = [10, LAST].includes(n) ? (place.bytesOnDisk?.() ?? 0) : 0;
      expect((await agent.save(numbered(n))).errors).toEqual([]);
      written.set(n, traffic.bytesWritten - writtenBefore);
      readBySave.set(n, traffic.recordsRead - readBefore);
      if ([10, LAST].includes(n)) onDisk.set(n, (place.bytesOnDisk?.() ?? 0) - diskBefore);
      if (n === EARLY || n === LAST) {
        const before = traffic.recordsRead;
        expect((await agent.prepare()).messageHistory).toHaveLength(40);
        read.set(n, traffic.recordsRead - before);
      }
    }
    // `throughSeq` is written several times, and a number of four digits is two characters longer than one of two digits.
    expect(written.get(LAST)).toBeLessThan(1_400);
    expect(Math.abs(Number(written.get(LAST)) - Number(written.get(10)))).toBeLessThanOrEqual(20);
    expect(readBySave.get(LAST)).toBe(readBySave.get(10));
    expect(read.get(LAST)).toBe(read.get(EARLY));
    // The figures of the guide.
    expect([readBySave.get(10), read.get(EARLY)]).toEqual([12, 42]);
    // Versions and positions have more digits too, and the lines of a log vary in length.
    expect(Math.abs(Number(onDisk.get(LAST)) - Number(onDisk.get(10)))).toBeLessThanOrEqual(100);
  });

  it.each(['get', 'list', 'put'])('a store whose %s fails is never treated as empty', async (failing) => {
    const traffic = newTraffic();
    const place = suite.backend.makePlace();
    const agent = new ConversationMemory({ store: watchedStore(place.open(), traffic), fullSessionMemory: true }).for(
      'agent',
      {
        sessionId: 's',
        userId: 'alice',
      },
    );
    await agent.save(turn('one', 'r'));
    await agent.setMetadata({ topic: 'kept' });
    traffic.before = (method) => {
      if (method === failing) throw new Error(`injected failure of ${method}`);
    };
    await expect(agent.save(turn('two'))).rejects.toThrow('injected');
    if (failing === 'get') {
      for (const call of [() => agent.getSession(), () => agent.loadRun('r'), () => agent.getMetadata()]) {
        await expect(call()).rejects.toThrow('injected');
      }
    }
    if (failing !== 'put') await expect(agent.prepare()).rejects.toThrow('injected');
    traffic.before = () => {};
    expect(await agent.getMetadata()).toEqual({ topic: 'kept' });
    expect(await agent.getMessages()).toEqual(turn('one').items);
    await agent.save({ status: 'completed', items: [user('three')] });
    expect(await agent.getMessages()).toHaveLength(3);
  });
}
