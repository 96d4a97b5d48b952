import { join } from 'node:path';
import { runProgram } from '@keepsake/testing';
import { ScriptedModel } from '@keepsake/testing/strands-model';
import { Agent, SessionManager } from '@strands-agents/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeepsakeStorage } from '../src/index.ts';
import { backends, independent } from './support/backends.ts';
import { continueSession } from './support/continue-session.ts';

const PROGRAM = join(import.meta.dirname, 'programs/continue-session.ts');

for (const backend of backends.filter(({ shared }) => shared)) {
  describe(backend.name, independent(backend), () => {
    let running: Awaited<ReturnType<typeof backend.start>>;
    beforeAll(async () => {
      running = await backend.start();
    });
    afterAll(() => running.stop());

    it('an agent is restored in a new process, and any snapshot of it in this one', async () => {
      const place = running.makePlace();
      const first = await continueSession(place.open(), 'I keep bees.', 'How many hives?');
      expect(first).toMatchObject({ turns: 1, snapshots: 1 });
      const args = [JSON.stringify(place.address), 'Three.', 'Nice.'];
      // Before 24.15, Node warns that SQLite is experimental.
      const { stdout, stderr } = await runProgram(PROGRAM, args, { environment: { NODE_NO_WARNINGS: '1' } });
      expect(stderr).toBe('');
      const second = JSON.parse(stdout);
      expect(second).toMatchObject({ turns: 2, snapshots: 2 });
      const texts = second.input.map(({ content }: { content: { text: string }[] }) => content[0]?.text);
      expect(texts).toEqual(['I keep bees.', 'How many hives?', 'Three.']);

      const storage = new KeepsakeStorage({ store: place.open() });
      const sessionManager = new SessionManager({ sessionId: 'chat-42', storage });
      const agent = new Agent({ model: new ScriptedModel(), sessionManager, printer: false });
      await agent.initialize();
      expect(agent.messages).toHaveLength(4);
      const [snapshotId = ''] = await sessionManager.listSnapshotIds({ target: agent });
      expect(await sessionManager.restoreSnapshot({ target: agent, snapshotId })).toBe(true);
      expect(agent.messages).toHaveLength(2);
      await sessionManager.deleteSession();
      expect(await storage.list('')).toEqual([]);
    });
  });
}
