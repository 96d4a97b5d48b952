import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openAgent } from '../src/agent.ts';
import { fromMemory } from '../src/from-memory.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
  vi.restoreAllMocks();
});

it('fails where its memory does, and claims no ignorance', async () => {
  vi.spyOn(console, 'warn').mockReturnValue();
  vi.spyOn(FileStore.prototype, 'search').mockRejectedValue(new Error('down'));
  const { reply } = await openAgent(directory, fromMemory);
  await expect(reply('Where is the key?', new AbortController().signal)).rejects.toMatchObject({ code: 'BACKEND' });
});
