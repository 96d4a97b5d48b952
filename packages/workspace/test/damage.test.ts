import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { localDirectory, WorkspaceMemory } from '../src/index.ts';
import { scriptedModel } from './support/model.ts';
import { said } from './support/segments.ts';

const directory = useDirectory();

/** A memory with one damaged file. */
async function damaged(path: string, text: string) {
  const workspace = localDirectory(directory.path);
  const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
  await memory.run({ conversationId: 'a' }).append(said('The port is 8080'));
  await memory.close();
  await workspace.write(path, text);
  const codes: string[] = [];
  const read = { onError: ({ code }: { readonly code: string }) => void codes.push(code) };
  return { codes, memory: new WorkspaceMemory({ workspace, generate: null, read }) };
}

it('a run goes on without a memory that is damaged, and the damage is reported', async () => {
  const { codes, memory } = await damaged('memories/.keepsake.json', '{');
  const { instructions, tools } = await memory.read();
  expect(instructions).toBe('');
  expect(codes).toEqual(['CORRUPT']);
  const [search, open, update] = tools;
  expect(await search?.execute({ query: 'port' })).toMatchObject({ unavailable: true });
  expect(await open?.execute({ path: 'MEMORY.md' })).toMatchObject({ unavailable: true });
  expect(codes).toEqual(['CORRUPT', 'CORRUPT', 'CORRUPT']);
  // A run must know that its update was lost.
  await expect(update?.execute({ stale: '', now: 'x' })).rejects.toMatchObject({ code: 'CORRUPT' });
  await memory.close();
});

it('a mistake of the caller is an error', async () => {
  const { codes, memory } = await damaged('memories/MEMORY.md', '');
  await memory.close();
  const workspace = localDirectory(directory.path);
  const other = new WorkspaceMemory({ workspace, generate: null, layout: { summaryFile: 'other.md' } });
  await expect(other.read()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  expect(codes).toEqual([]);
  await other.close();
});
