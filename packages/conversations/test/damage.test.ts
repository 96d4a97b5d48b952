import { InMemoryStore } from '@keepsake/in-memory';
import { describe, expect, it } from 'vitest';
import { ConversationMemory } from '../src/index.ts';
import { turn } from './support/items.ts';
import { ScriptedModel } from './support/scripted-model.ts';

const ALICE = { sessionId: 's', userId: 'alice' };

/** A handle on a conversation, and a way to damage the record that begins with a text. */
async function saved() {
  const store = new InMemoryStore({ name: 'runs' });
  const model = new ScriptedModel({ summary: 'First.' });
  const memory = new ConversationMemory({ store, model, fullSessionMemory: true, summaryMemory: true });
  const handle = memory.for('agent', ALICE);
  await handle.save(turn('alpha'));
  async function damage(begin: string, content: string) {
    for (const { namespace } of (await store.namespaces()).items) {
      const place = store.within(namespace);
      for (const { id, metadata, content: found } of (await place.list()).items) {
        if (found.startsWith(begin)) await place.put({ id, metadata, content, index: false });
      }
    }
  }
  return { handle, damage };
}

describe('a conversation with damage', () => {
  it.each(['{"items":', 'null', '{}', '{"items":{}}', '{"items":[null]}'])(
    'in a run %j is CORRUPT',
    async (content) => {
      const { handle, damage } = await saved();
      await damage('{"items"', content);
      await expect(handle.prepare()).rejects.toMatchObject({ code: 'CORRUPT' });
    },
  );

  it.each(['[]', '{}', '{"metadata":{},"summary":{}}', '{"metadata":{},"summarised":{"throughSeq":1}}'])(
    'in its session %j is CORRUPT',
    async (content) => {
      const { handle, damage } = await saved();
      await damage('{"metadata"', content);
      await expect(handle.prepare()).rejects.toMatchObject({ code: 'CORRUPT' });
    },
  );
});
