import type { MemoryEntry, MemoryStore, Message } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { assistant, entriesIn, managerOf, user } from './support.ts';

const violin = 'My sister Runa plays the violin in an orchestra.';
const oslo = 'Runa moved to Oslo with her violin in May.';

/** A store with two conversations, learned word for word: `now`, which goes on, and `earlier`. */
async function talked(injection = {}) {
  const store = new InMemoryStore({ name: 'notes', extraction: true });
  const { memory } = managerOf([store], injection);
  memory.conversation({ id: 'earlier' }).observe(user(oslo), assistant('What does she do there?'));
  const chat = memory.conversation({ id: 'now' });
  const history: Message[] = [user(violin), assistant('How nice.'), user('Right.'), assistant('Anything else?')];
  chat.observe(...history);
  await memory.flush({ throwOnFailure: true });
  return { store, chat, history };
}

describe('entries of the present conversation', () => {
  const ask = user('Which instrument does Runa play?');

  it('are left out as long as their message is among the messages', async () => {
    const { chat, history } = await talked();
    expect(entriesIn(await chat.block([...history, ask]))).toEqual([oslo]);
  });

  it('are injected once their message has left the window', async () => {
    const { chat, history } = await talked();
    expect(entriesIn(await chat.block([...history.slice(2), ask]))).toEqual(expect.arrayContaining([oslo, violin]));
  });

  it('are left out if a server has the earlier messages', async () => {
    const { chat } = await talked();
    expect(entriesIn(await chat.block([ask], { historyOnServer: true }))).toEqual([oslo]);
  });

  it('are left out if only a part of their message was stored, or the message is in blocks', async () => {
    const { store, chat, history } = await talked();
    const source = { conversation: 'now', speaker: 'assistant', kind: 'utterance' } as const;
    await store.put({ content: 'Runa plays well. Her violin is old.', source });
    const spoken: Message = {
      role: 'assistant',
      content: [{ text: 'Runa plays well. You said so. ' }, { text: 'Her violin is old.' }],
    };
    expect(entriesIn(await chat.block([...history, spoken, ask]))).toEqual([oslo]);
    const again = user('Does Runa play her violin well?');
    expect(entriesIn(await chat.block([...history, again]))).toContain('Runa plays well. Her violin is old.');
  });

  it('are left out if they are short, which is not enough for those of other conversations', async () => {
    const store = new InMemoryStore({ name: 'notes' });
    await store.put({ content: 'Runa: cello', turn: { thread: 'now', index: 1 } });
    await store.put({ content: 'Joe: harp', turn: { thread: 'earlier', index: 1 } });
    const { memory } = managerOf([store]);
    const block = await memory
      .conversation({ id: 'now' })
      .block([user('Note: Runa: cello. Joe: harp?'), user('Which is right, Runa: cello, or Joe: harp?')]);
    expect(entriesIn(block)).toEqual(['Joe: harp']);
  });
});

describe("trust: 'user'", () => {
  const said = (content: string, speaker: string | undefined) => ({
    content,
    source: { kind: 'fact' as const, conversation: 'earlier', ...(speaker !== undefined && { speaker }) },
  });
  const ask = user('Where does Runa live?');

  it('injects only what the user said, by the source or else the turn', async () => {
    // A store that returns all of them, so that ranking does not matter.
    const entries: MemoryEntry[] = [
      said('Runa lives in Oslo, says the user.', 'user'),
      said('Runa lives in Rome, says the assistant.', 'assistant'),
      said('Runa lives in Paris, says a tool.', 'tool'),
      said('Runa lives in Bonn, says nobody.', undefined),
      { content: 'Runa lives in Kiel, has no source.', metadata: { role: 'user' } },
      { content: 'Runa lives in Bergen, says a turn.', turn: { thread: 'earlier', index: 1, speaker: 'user' } },
      { content: 'Runa lives in Lima, says a turn.', turn: { thread: 'earlier', index: 2, speaker: 'assistant' } },
      {
        content: 'Runa lives in Quito, say a tool and a turn.',
        turn: { thread: 'earlier', index: 3, speaker: 'user' },
        source: { speaker: 'tool' },
      },
    ];
    const store: MemoryStore = { name: 'notes', writable: false, search: async () => entries };
    const all = managerOf([store]).memory.conversation();
    expect(entriesIn(await all.block([ask]))).toHaveLength(8);
    const trusting = managerOf([store], { trust: 'user' }).memory.conversation();
    expect(entriesIn(await trusting.block([ask])).sort()).toEqual([
      'Runa lives in Bergen, says a turn.',
      'Runa lives in Oslo, says the user.',
    ]);
  });

  it('finds what the user said behind many better entries of others, up to maxEntries', async () => {
    const found = Array.from({ length: 35 }, (_, index) =>
      said(`Runa lives in street number ${index}.`, index < 30 ? 'tool' : 'user'),
    );
    const store: MemoryStore = {
      name: 'notes',
      writable: false,
      search: async (_, options) => found.slice(0, options?.maxSearchResults),
    };
    const chat = managerOf([store], { trust: 'user', maxEntries: 3 }).memory.conversation();
    expect(entriesIn(await chat.block([ask]))).toEqual(
      [30, 31, 32].map((number) => `Runa lives in street number ${number}.`),
    );
  });

  it('works for learned conversations: answers of the assistant are not injected', async () => {
    const { chat } = await talked({ trust: 'user' });
    const block = await chat.block([user('Does Runa play her violin there, and what does she do?')]);
    expect(entriesIn(block).sort()).toEqual([violin, oslo].sort());
  });

  it('is the only value', () => {
    const store = new InMemoryStore({ name: 'notes' });
    expect(() => managerOf([store], { trust: 'assistant' as never })).toThrow(/`injection\.trust` must be 'user'/);
    expect(() => managerOf([store], { maxConversationTokens: 0 })).toThrow(/`injection\.maxConversationTokens`/);
  });
});
