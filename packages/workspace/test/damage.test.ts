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

it.each<[string, object]>([
  ['without a holder', { holder: undefined }],
  ['with a holder that is a text', { holder: 'me' }],
  ['with a holder whose process is a text', { holder: { host: 'h', pid: '1', start: '1', id: 'i' } }],
  ['without a heartbeat', { beat: undefined }],
  ['with a number of changes that is a text', { commits: '1' }],
  ['with a change that is null', { journal: [null] }],
  ['with a change of a file without a path', { journal: [{ base: null, text: 'x' }] }],
  ['with a change whose text is a list', { journal: [{ path: 'memories/MEMORY.md', base: null, text: [] }] }],
])('a ledger %s is damage, which the next change of the memory reports', async (_, fields) => {
  const workspace = localDirectory(directory.path);
  const whole = new WorkspaceMemory({ workspace, model: scriptedModel() });
  await whole.run({ conversationId: 'a' }).append(said('The port is 8080'));
  await whole.close();
  const path = 'memories/.keepsake.json';
  const control = JSON.parse((await workspace.read(path))?.text ?? '');
  await workspace.write(path, JSON.stringify({ ...control, ...fields }));
  const memory = new WorkspaceMemory({ workspace, model: scriptedModel() });
  await expect(memory.generate()).rejects.toMatchObject({ code: 'CORRUPT' });
  await expect(memory.forget('a')).rejects.toMatchObject({ code: 'CORRUPT' });
  await memory.close().catch(() => {});
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
