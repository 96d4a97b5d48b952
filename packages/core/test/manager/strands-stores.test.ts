import { Agent } from '@strands-agents/sdk';
import { TestMemoryStore } from '@strands-agents/sdk/vended-memory-stores/test-memory-store';
import { describe, expect, it } from 'vitest';
import { MemoryManager } from '../../src/index.ts';

describe('stores of the Strands SDK', () => {
  it('work with a manager and with Strands agents at the same time', async () => {
    const store = new TestMemoryStore({ name: 'notes', description: 'Notes.', writable: true, persist: false });
    const agent = new Agent({ memoryManager: { stores: [store] }, printer: false });
    expect(agent.memoryManager).toBeDefined();
    const memory = new MemoryManager({ stores: [store], addToolConfig: true });

    await memory.add('The user prefers aisle seats', { metadata: { topic: 'travel' } });
    const [, add] = memory.tools();
    expect(await add?.execute({ entries: ['The user lives in Oslo'] })).toEqual({ stored: 1 });

    expect(await agent.memoryManager?.search('aisle seats')).toMatchObject([
      { content: 'The user prefers aisle seats' },
    ]);
    expect(await memory.search('aisle', { filter: { topic: 'travel' } })).toMatchObject([
      { content: 'The user prefers aisle seats', storeName: 'notes' },
    ]);
    const chat = memory.conversation();
    const [message] = await chat.inject([{ role: 'user', content: [{ text: 'Which seats to Oslo?' }] }]);
    expect(JSON.stringify(message?.content)).toContain('The user lives in Oslo');
  });

  it('are searched but not written to if they are read-only', async () => {
    const store = new TestMemoryStore({ name: 'notes', writable: false, persist: false });
    expect(() => new MemoryManager({ stores: [store], addToolConfig: true })).toThrow(/writable/);
    expect(await new MemoryManager({ stores: [store] }).search('anything')).toEqual([]);
  });
});
