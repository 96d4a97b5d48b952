import { MemoryManager } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { Agent, entriesIn, user } from './support.ts';

const contents = { violin: 'Runa plays the violin.', address: 'Runa lives at 7 Fjord Street.', cat: 'Runa has a cat.' };

async function talking() {
  const store = new InMemoryStore({ name: 'notes' });
  for (const [id, content] of Object.entries(contents)) await store.put({ id, content });
  const memory = new MemoryManager({ stores: [store], forgetToolConfig: true });
  const agent = new Agent(memory.conversation());
  return { store, memory, agent };
}

describe('a memory that is forgotten', () => {
  it('is gone from earlier blocks, and what else they showed can be shown again', async () => {
    const { memory, agent } = await talking();
    expect((await agent.turn('What do you know about Runa?')).flatMap(entriesIn).sort()).toEqual(
      Object.values(contents).sort(),
    );
    await memory.forget({ ids: ['address'] });
    const request = await agent.turn('And what does Runa do?');
    expect(JSON.stringify(request)).not.toContain('Fjord');
    expect(request.map(entriesIn).map((entries) => entries.sort())).toEqual([
      [],
      [],
      [contents.cat, contents.violin].sort(),
    ]);
    expect((await agent.turn('Thank you!')).slice(0, 3)).toEqual(request);
  });

  it('is gone from the block of the present turn, if the model forgets it by its tool', async () => {
    const { memory, agent } = await talking();
    agent.history.push(user('Forget where Runa lives.'));
    expect(entriesIn((await agent.call())[0])).toContain(contents.address);
    const tool = memory.tools().find(({ name }) => name === 'forget_memory');
    expect(await tool?.execute({ ids: ['address'] })).toMatchObject({ forgotten: [{ id: 'address' }] });
    expect((await agent.call()).flatMap(entriesIn).sort()).toEqual([contents.cat, contents.violin].sort());
    const [first, second] = [await agent.call(), await agent.call()];
    expect(first).toEqual(second);
  });

  it('is gone from earlier blocks even if another one could not be forgotten with it', async () => {
    const { store, memory, agent } = await talking();
    await agent.turn('What do you know about Runa?');
    const remove = store.delete.bind(store);
    store.delete = (id, ...options) =>
      id === 'cat' ? Promise.reject(new Error('The disk is full.')) : remove(id, ...options);
    await expect(memory.forget({ ids: ['address', 'cat'] })).rejects.toThrow('failed to forget');
    expect(JSON.stringify(await agent.turn('And what does Runa do?'))).not.toContain('Fjord');
  });

  it('that is added again is shown again, and blocks then stay', async () => {
    const { store, memory, agent } = await talking();
    await agent.turn('What do you know about Runa?');
    await memory.forget({ ids: ['address'] });
    await store.put({ id: 'address', content: contents.address });
    const first = await agent.turn('Where does Runa live?');
    expect(entriesIn(first.at(-1))).toContain(contents.address);
    const second = await agent.turn('Really?');
    expect(second.slice(0, first.length)).toEqual(first);
  });
});

it('blocks stay if something else is forgotten, or forgetting fails', async () => {
  const { store, memory, agent } = await talking();
  await store.put({ id: 'other', content: 'Joe has a dog.' });
  const first = await agent.turn('Which instrument, which violin does Runa play?');
  await memory.forget({ ids: ['other', 'unknown'] });
  await expect(memory.forget({ ids: [7 as never] })).rejects.toThrow(/ids\[0\]/);
  const second = await agent.turn('Really?');
  expect(second.slice(0, first.length)).toEqual(first);
});
