import { expect, it } from 'vitest';
import { type Health, PATHS, type Status } from '../src/protocol.ts';
import { describeOnSomeBackends } from './support/describe-on-backends.ts';

describeOnSomeBackends(({ open, filled }) => {
  it('status tells what there is', async () => {
    const { client } = await open();
    const status = await client.get<Status>(PATHS.status);
    expect(status).toMatchObject({
      readOnly: false,
      csrfToken: expect.any(String),
      store: { name: 'memory', writable: true, capabilities: { enumerate: true, filter: true } },
      parts: { sessions: true, agents: ['guide'], workspace: false },
    });
    const { client: reader } = await open({ readOnly: true });
    const readOnly = await reader.get<Status>(PATHS.status);
    expect(readOnly).toMatchObject({ readOnly: true, store: { writable: false } });
    expect(readOnly.csrfToken).toBeUndefined();
  });

  it('health tries each part and counts', async () => {
    const { config, client } = await filled();
    const outbox = (await config.memory()).within(['agent', 'guide', 'u', 'alice', 'keepsake-outbox']);
    await outbox.put({ content: '.turn', index: false });
    const health = await client.get<Health>(PATHS.health);
    expect(health.checks.map(({ part, ok }) => [part, ok])).toEqual([
      ['memory', true],
      ['sessions', true],
      ['conversations', true],
      ['space', true],
    ]);
    expect(health.counts).toMatchObject({ sessions: 2, more: false });
    expect(health.counts.records).toBeGreaterThan(6);
    expect(health.outbox).toEqual([{ namespace: 'agent:guide:u:alice:keepsake-outbox', recordCount: 1 }]);
    expect(health.deadLetters).toEqual([]);
  });
});
