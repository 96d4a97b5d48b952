import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { rounds } from '@keepsake/testing/share';
import { count, show } from '@keepsake/testing/torture/figures';
import { randomOf } from '@keepsake/testing/torture/seed';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConversationMemory } from '../../src/index.ts';
import { backends } from '../backends/all.ts';
import { joined } from '../support/joining-summariser.ts';

const KILLS = rounds(100);
const random = randomOf('kills');
const program = join(import.meta.dirname, '../programs/save-and-die.ts');
const run = (args: readonly string[]) => runProgram(program, args, { environment: { NODE_NO_WARNINGS: '1' } });

for (const make of backends) {
  const backend = make();
  describe.runIf(backend.shared)(backend.name, () => {
    beforeAll(() => backend.start?.());
    afterAll(() => backend.stop?.());

    it(`after ${KILLS} kills between a run and its summary, every run is stored and the next save makes the summary`, async (context) => {
      const place = backend.makePlace();
      const agent = new ConversationMemory({
        store: place.open(),
        fullSessionMemory: true,
        summaryMemory: { summariser: { summarise: async (input) => joined(input) } },
      }).for('agent', { sessionId: 'killed', userId: 'alice' });
      // The first use creates the place.
      expect(await agent.getSession()).toBeUndefined();
      const expected: string[] = [];
      for (let n = 0; n < KILLS; n++) {
        const { signal, stderr } = await run([`killed ${n}`, 'summary', ...(place.address ?? [])]);
        expect([signal, stderr]).toEqual(['SIGKILL', '']);
        expect(await agent.loadRun(`killed ${n}`)).toMatchObject({ status: 'completed', seq: expected.length + 1 });
        expected.push(`killed ${n}`);
        // Sometimes, several processes in a row are killed.
        if (random() < 0.3) continue;
        await agent.save({ status: 'completed', items: [{ role: 'user', content: `next ${n}` }] });
        expected.push(`next ${n}`);
        expect((await agent.getSession())?.summary?.text.split('\n')).toEqual(expected);
      }
      await agent.save({ status: 'completed', items: [] });
      expect((await agent.getSession())?.summary?.text.split('\n')).toEqual(expected);
      expect((await agent.getMessages()).map(({ content }) => content)).toEqual(expected);
      show(
        context,
        1,
        `${backend.name}: killed ${KILLS} times between a run and its summary: ${count(expected.length)} runs, all in the summary, each once`,
      );
    });

    it(`after ${KILLS} kills before any write of a save, each run that is saved again is stored completely and once`, async (context) => {
      const place = backend.makePlace();
      const agent = new ConversationMemory({
        store: place.open(),
        fullSessionMemory: true,
        summaryMemory: { summariser: { summarise: async (input) => joined(input) } },
      }).for('agent', { sessionId: 'killed', userId: 'alice' });
      // The first use creates the place.
      expect(await agent.getSession()).toBeUndefined();
      const deaths = new Map<number, number>();
      for (let n = 0; n < KILLS; n++) {
        // In turn, so that a run with few kills dies before different writes too.
        const death = 1 + (n % 5);
        const { signal, stdout } = await run([`run ${n}`, `${death}`, ...(place.address ?? [])]);
        if (signal === 'SIGKILL') deaths.set(death, (deaths.get(death) ?? 0) + 1);
        else expect(stdout).toBe('saved\n');
        // Saves the run again, like a client without an acknowledgement.
        await agent.save({ runId: `run ${n}`, status: 'completed', items: [{ role: 'user', content: `run ${n}` }] });
      }
      const all = Array.from({ length: KILLS }, (_, n) => `run ${n}`);
      expect((await agent.getMessages()).map(({ content }) => content)).toEqual(all);
      expect((await agent.getSession())?.summary?.text.split('\n')).toEqual(all);
      expect((await agent.listSessions()).items).toHaveLength(1);
      const killed = [...deaths.values()].reduce((sum, times) => sum + times, 0);
      expect(deaths.size).toBeGreaterThan(1);
      show(
        context,
        2,
        `${backend.name}: ${killed} processes killed before one of the writes of a save, which was then repeated: ${KILLS} runs, each once`,
      );
    });
  });
}
