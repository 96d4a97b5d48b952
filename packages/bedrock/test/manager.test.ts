import { MemoryManager, type MemoryModel } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { setup } from './harness.ts';

/** Answers extraction requests with these additions. */
function model(...contents: string[]): MemoryModel {
  const object = { changes: contents.map((content) => ({ action: 'add', content })) };
  return { generate: async () => ({ text: JSON.stringify(object), object }) };
}

describe('in a MemoryManager', () => {
  it('extracted facts are stored with their source and injected', async () => {
    const { store, emulator } = await setup();
    const facts = store({ extraction: true });
    const memory = new MemoryManager({ stores: [facts], model: model('Alice lives in Oslo.', 'Alice keeps bees.') });
    const chat = memory.conversation({ id: 'chat' });
    chat.observe(
      { role: 'user', content: 'I live in Oslo and keep bees.' },
      { role: 'assistant', content: 'How nice!' },
    );
    await chat.endTurn();
    expect(await memory.flush()).toEqual({ facts: { saved: 2, failed: 0 } });
    expect([...emulator.indexed('DS456').values()].sort()).toEqual(['Alice keeps bees.', 'Alice lives in Oslo.']);
    const [entry] = await memory.search('Oslo');
    expect(entry?.metadata).toEqual({
      namespace: 'u:alice',
      sourceThread: 'chat',
      sourceRun: expect.any(String),
      sourceFirst: expect.any(Number),
      sourceLast: expect.any(Number),
      _relevanceScore: expect.any(Number),
      _sourceLocation: expect.anything(),
    });
    const injected = await memory.conversation().inject([{ role: 'user', content: 'Where does Alice live?' }]);
    expect(JSON.stringify(injected)).toContain('Alice lives in Oslo.');
  });

  it('throttled writes are kept and saved once, later', async () => {
    const { store, emulator } = await setup();
    const memory = new MemoryManager({
      stores: [store({ extraction: true })],
      model: model('Likes tea.'),
      telemetry: { logger: quiet },
    });
    const chat = memory.conversation();
    chat.observe({ role: 'user', content: 'I like tea.' });
    await chat.endTurn();
    emulator.faults.throttle({ path: /documents$/ });
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    emulator.faults.heal();
    emulator.faults.cut('after', { path: /documents$/, times: 1 });
    expect(await memory.flush()).toEqual({ facts: { saved: 0, failed: 1 } });
    expect(await memory.flush()).toEqual({ facts: { saved: 1, failed: 0 } });
    expect(emulator.indexed('DS456').size).toBe(1);
  });

  it('its tools add and search', async () => {
    const { store } = await setup();
    const memory = new MemoryManager({ stores: [store()], addToolConfig: true });
    const tool = (name: string) => memory.tools().find((one) => one.name === name);
    const { signal } = new AbortController();
    expect(await tool('add_memory')?.execute({ entries: ['Likes tea.'] }, { signal })).toMatchObject({ stored: 1 });
    const found = await tool('search_memory')?.execute({ query: 'tea' }, { signal });
    expect(found).toMatchObject({ entries: [{ content: 'Likes tea.', storeName: 'facts' }] });
  });

  it('a response that never arrives is not waited for', async () => {
    const { store, emulator } = await setup();
    emulator.faults.delay(60_000, { path: /retrieve$/ });
    const memory = new MemoryManager({ stores: [store()], search: { deadlineMs: 300 }, telemetry: { logger: quiet } });
    await expect(memory.search('tea')).rejects.toMatchObject({ code: 'BACKEND' });
  });
});

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
