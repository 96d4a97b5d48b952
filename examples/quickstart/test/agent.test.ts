import { FileStore } from '@keepsake/file';
import { useDirectory } from '@keepsake/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { openAgent } from '../src/chat/agent.ts';
import { fromMemory } from '../src/chat/from-memory.ts';

const directory = useDirectory();
afterEach(() => {
  vi.restoreAllMocks();
});

it('the agent fails if its memory fails, instead of claiming to know nothing', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(FileStore.prototype, 'search').mockRejectedValue(new Error('down'));
  const { reply } = await openAgent(directory.path, fromMemory);
  await expect(reply('Where is the key?', new AbortController().signal)).rejects.toMatchObject({ code: 'BACKEND' });
});
