import { memoryError } from '@keepsake/testing/memory-error';
import { describe, expect, it } from 'vitest';
import { MemoryManager, type MemoryManagerOptions, type MemoryRecord, type MemoryStore } from '../../src/index.ts';
import { memoryLogger } from '../support/memory-logger.ts';
import { listStore } from '../support/memory-stores.ts';

const time = '2026-11-03T00:00:00.000Z';
const record = (id: string, content: string): MemoryRecord => ({
  ...{ id, content, metadata: {}, version: 1, createdAt: time, updatedAt: time, index: true },
});

/** A store with get() that records the requested ids. */
function readable(name: string, ...records: readonly MemoryRecord[]): MemoryStore & { readonly asked: string[] } {
  const asked: string[] = [];
  return Object.assign(listStore(name), {
    asked,
    async get(id: string) {
      asked.push(id);
      return records.find((one) => one.id === id);
    },
  });
}

function toolOf(options: MemoryManagerOptions) {
  const tools = new MemoryManager({ telemetry: { logger: memoryLogger() }, ...options }).tools();
  return tools.find(({ name }) => name === 'read_memory');
}

describe('read_memory', () => {
  const story = Array.from({ length: 2_000 }, (_, n) => `word${n}`).join(' ');

  it('comes with the search tool if a store has get()', () => {
    expect(toolOf({ stores: [readable('a')] })).toBeDefined();
    expect(toolOf({ stores: [listStore('a')] })).toBeUndefined();
    expect(toolOf({ stores: [readable('a')], searchToolConfig: false })).toBeUndefined();
  });

  it('reads a memory page by page, each within the budget, without gaps', async () => {
    for (const maxTokens of [1, 100, 1_000]) {
      const tool = toolOf({ stores: [readable('a', record('r', story))], searchToolConfig: { maxTokens } });
      let read = '';
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = (await tool?.execute({ id: 'r', offset })) as {
          entries: [{ id: string; storeName: string; content: string; chars: string }];
          nextOffset?: number;
        };
        const [{ content }] = page.entries;
        const end = page.nextOffset ?? story.length;
        expect(page.entries).toEqual([
          { id: 'r', storeName: 'a', content, chars: `${offset}-${end} of ${story.length}` },
        ]);
        expect(story.slice(offset, offset + content.length)).toBe(content);
        expect(Buffer.byteLength(content) / 3).toBeLessThanOrEqual(Math.max(1, maxTokens));
        read += story.slice(offset, end);
        if (maxTokens === 1 && offset > 100) return;
        offset = page.nextOffset;
      }
      expect(read).toBe(story);
    }
  });

  it('never returns half a character, wherever a page or a lone surrogate is', async () => {
    const faces = `x${'\u{1F600}'.repeat(2_000)}`;
    for (const maxTokens of [1, 2, 3, 100, 101]) {
      const tool = toolOf({ stores: [readable('a', record('r', faces))], searchToolConfig: { maxTokens } });
      for (const offset of [0, 1, 2, 3, 2_000, 2_001, 3_999, 4_000]) {
        const page = (await tool?.execute({ id: 'r', offset })) as {
          entries: [{ content: string; chars: string }];
          nextOffset?: number;
        };
        const [{ content, chars }] = page.entries;
        const start = offset > 0 && offset % 2 === 0 ? offset - 1 : offset;
        expect(content).toMatch(/^(?:x|x?(?:\u{1F600})+)$/u);
        expect(chars).toBe(`${start}-${start + content.length} of ${faces.length}`);
        expect(page.nextOffset ?? faces.length).toBe(start + content.length);
      }
    }
    const lone = toolOf({ stores: [readable('a', record('r', 'half \ud83d'))] });
    expect(await lone?.execute({ id: 'r' })).toMatchObject({ entries: [{ content: 'half \ufffd' }] });
  });

  it('reads from all stores with get(), or from those that the model names', async () => {
    const stores = [listStore('plain'), readable('a'), readable('b', record('r', 'here'))] as const;
    const tool = toolOf({ stores });
    expect(await tool?.execute({ id: 'r' })).toMatchObject({ entries: [{ storeName: 'b', content: 'here' }] });
    expect(stores[1].asked).toEqual(['r']);
    await tool?.execute({ id: 'r', stores: ['b'] });
    expect(stores[1].asked).toEqual(['r']);
    await expect(tool?.execute({ id: 'r', stores: ['plain'] })).rejects.toEqual(
      memoryError('INVALID_ARGUMENT', /only stores are: "a", "b"/),
    );
  });

  it.each([
    [{ id: 'gone' }, /no memory with this id/],
    [{}, /`id`/],
    [{ id: '' }, /`id`/],
    [{ id: 'r', offset: -1 }, /^offset/],
    [{ id: 'r', offset: 'x' }, /^offset/],
    [{ id: 'r', namespace: ['u', 'bob'] }, /only the fields/],
  ])('refuses %j with a helpful message', async (input, message) => {
    const tool = toolOf({ stores: [readable('a', record('r', story))] });
    await expect(tool?.execute(input as never)).rejects.toEqual(memoryError('INVALID_ARGUMENT', message));
  });

  it('returns empty content beyond the end', async () => {
    const tool = toolOf({ stores: [readable('a', record('r', 'tea'))] });
    expect(await tool?.execute({ id: 'r', offset: 99 })).toEqual({
      entries: [{ id: 'r', storeName: 'a', content: '', chars: '3-3 of 3' }],
    });
  });
});
