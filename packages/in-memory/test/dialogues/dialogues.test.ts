import { MemoryManager, type Message } from '@keepsake/core';
import { describe, expect, it } from 'vitest';
import { InMemoryStore } from '../../src/index.ts';
import { changes } from './changes.ts';
import { details } from './details.ts';
import type { Dialogue, Dialogues, Line } from './dialogue.ts';
import { longTexts } from './long-texts.ts';
import { noise } from './noise.ts';
import { people } from './people.ts';

const all: Dialogues = { ...people, ...changes, ...details, ...noise, ...longTexts };
const DAY_MS = 86_400_000;

function toMessage(line: Line): Message {
  return { role: line.startsWith('u: ') ? 'user' : 'assistant', content: line.slice(3) };
}

/** A store with the earlier conversations, one per day, stored without a model. */
async function storeOf({ before }: Dialogue): Promise<InMemoryStore> {
  const store = new InMemoryStore({ name: 'chats' });
  const start = Date.UTC(2026, 0, 5);
  for (const [day, lines] of before.entries()) {
    await store.putMany(
      lines.map((line, index) => {
        const { role: speaker, content } = toMessage(line);
        const createdAt = new Date(start + day * DAY_MS + index * 60_000).toISOString();
        return { content: content as string, createdAt, turn: { thread: `day ${day}`, index, speaker } };
      }),
    );
  }
  return store;
}

async function blockOf(dialogue: Dialogue): Promise<string> {
  const manager = new MemoryManager({ stores: [await storeOf(dialogue)] });
  const messages = [...(dialogue.now ?? []), `u: ${dialogue.ask}` as const].map(toMessage);
  return (await manager.conversation({ id: 'now' }).block(messages)) ?? '';
}

it('there are at least 60 dialogues', () => {
  expect(Object.values(all).flat().length).toBeGreaterThanOrEqual(60);
});

describe.each(Object.entries(all))('%s', (_, dialogues) => {
  async function check(dialogue: Dialogue): Promise<void> {
    const block = await blockOf(dialogue);
    const { shows = [], hides = [], first = '', nothing } = dialogue;
    if (nothing) expect(block).toBe('');
    else expect(block).not.toBe('');
    for (const text of shows) expect(block).toContain(text);
    for (const text of hides) expect(block).not.toContain(text);
    const [, entry = ''] = /<entry [^>]*>([^<]*)</.exec(block) ?? [];
    expect(entry).toContain(first);
  }

  for (const dialogue of dialogues) {
    const { ask, miss } = dialogue;
    if (miss === undefined) it(ask, () => check(dialogue));
    else it.fails(`${ask} (missed: ${miss})`, () => check(dialogue));
  }
});

it('a manager recalls a statement in another conversation, without a model', async () => {
  const store = new InMemoryStore({ name: 'chats', extraction: true });
  const manager = new MemoryManager({ stores: [store] });
  const earlier = manager.conversation({ id: 'earlier' });
  earlier.observe(
    ...['u: Okay!', 'u: My sister Runa has moved to Oslo.', 'a: Noted.'].map((line) => toMessage(line as Line)),
  );
  await earlier.endTurn();
  await manager.flush();
  const block = await manager.conversation({ id: 'now' }).block([toMessage('u: Where does Runa live?')]);
  expect(block).toContain('Oslo');
  expect(block).not.toMatch(/Okay|Noted/);
});
