import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileStore } from '@keepsake/file';
import { describe, expect, it } from 'vitest';
import { keepsake } from './keepsake.ts';
import { useDirectories } from './use-directories.ts';

const temporaryDirectory = useDirectories();
const HOUR_MS = 3_600_000;

function storeIn(cwd: string, namespace: readonly string[] = []) {
  return new FileStore({ directory: join(cwd, '.keepsake'), name: 'test', namespace });
}

async function fill(store: FileStore): Promise<void> {
  await store.putMany([
    {
      id: 'a:b/../c',
      content: 'Line 1\nLine 2\u2028still 2\r\n\u0000 \ud800 💡 "quoted"',
      metadata: { deep: { list: [1, null, 'x', { y: true }] }, __proto: 'kept', role: 'user' },
      createdAt: '2019-12-31T23:59:59.999Z',
      turn: { thread: 'a thread', index: 7, speaker: 'Zoë' },
      source: { conversation: 'a thread', run: 'r', speaker: 'Zoë', kind: 'utterance' },
    },
    { id: 'hidden', content: 'Kept out of search', index: false, source: { kind: 'summary' } },
    { content: 'No id was given', turn: { thread: 'a thread', index: 0 } },
    { id: 'expires', content: 'Parked on level 3', ttlMs: HOUR_MS },
    ...Array.from({ length: 1_100 }, (_, n) => ({ id: `n${n}`, content: `Number ${n}` })),
  ]);
  await store.put({ id: 'n5', content: 'Number five', metadata: { again: true } });
  await store.add('Added once');
}

/** The fields that an import restores. */
async function restorable(store: FileStore) {
  const records = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ order: 'oldest', limit: 1_000, ...(cursor === undefined ? {} : { cursor }) });
    records.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  return records.map(({ version, updatedAt, expiresAt, ...record }) => record);
}

describe.concurrent('an export', () => {
  it('is restored by import in the same order', async () => {
    const cwd = temporaryDirectory();
    const original = storeIn(cwd, ['u', 'alice']);
    await fill(original);
    const { stdout, exitCode, stderr } = await keepsake(['export', '-n', 'u:alice'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).id),
    ).toHaveLength(1_105);

    const elsewhere = temporaryDirectory();
    const imported = await keepsake(['import', '-', '-n', 'u:bob'], { cwd: elsewhere, input: stdout });
    expect(imported).toMatchObject({ exitCode: 0, stdout: '1105 added, 0 already there.\n', stderr: '' });
    const restored = storeIn(elsewhere, ['u', 'bob']);
    expect(await restorable(restored)).toEqual(await restorable(original));
    const [before, after] = [await original.get('expires'), await restored.get('expires')];
    const difference = Date.parse(String(after?.expiresAt)) - Date.parse(String(before?.expiresAt));
    // A lifetime starts at the write, so the time between reading the clock and writing is added.
    expect(Math.abs(difference)).toBeLessThan(HOUR_MS / 60);

    const again = await keepsake(['import', '-', '-n', 'u:bob'], { cwd: elsewhere, input: stdout });
    expect(again.stdout).toBe('0 added, 1105 already there.\n');
  });

  it('keeps histories, also those that an import can only restore in part', async () => {
    const cwd = temporaryDirectory();
    const original = storeIn(cwd);
    await original.put({ id: 'oslo', content: 'Lives in Oslo', createdAt: '2020-01-01T00:00:00Z' });
    await original.put({ id: 'bergen', content: 'Lives in Bergen', supersedes: 'oslo' });
    await original.put({ id: 'turku', content: 'Lives in Turku', supersedes: 'bergen' });
    await original.put({ id: 'cup', content: 'Has a cup', validUntil: new Date().toISOString() });
    const { stdout } = await keepsake(['export'], { cwd });

    const elsewhere = temporaryDirectory();
    expect((await keepsake(['import', '-'], { cwd: elsewhere, input: stdout })).stdout).toMatch(/^4 added/);
    const restored = storeIn(elsewhere);
    const withoutVersion = async (store: FileStore) =>
      (await store.list({ history: true })).items.map(({ version, updatedAt, ...record }) => record);
    expect(await withoutVersion(restored)).toEqual(await withoutVersion(original));
    expect((await restored.history('oslo')).map(({ id }) => id)).toEqual(['oslo', 'bergen', 'turku']);
    expect((await keepsake(['list'], { cwd: elsewhere })).stdout).not.toMatch(/Oslo|Bergen|cup/);

    const partly = temporaryDirectory();
    const input = stdout.slice(stdout.indexOf('\n') + 1);
    expect((await keepsake(['import', '-'], { cwd: partly, input })).stdout).toMatch(/^3 added/);
    expect((await storeIn(partly).history('turku')).map(({ id }) => id)).toEqual(['bergen', 'turku']);
  });

  it('of an empty memory is empty', async () => {
    const cwd = temporaryDirectory();
    mkdirSync(join(cwd, '.keepsake'));
    expect(await keepsake(['export'], { cwd })).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('that was made before records expired does not restore them', async () => {
    const cwd = temporaryDirectory();
    const input = [
      { id: 'over', content: 'x', expiresAt: '2020-01-01T00:00:00.000Z' },
      { id: 'twice', content: 'y' },
      { id: 'twice', content: 'z' },
    ]
      .map((record) => JSON.stringify(record))
      .join('\n');
    expect((await keepsake(['import', '-'], { cwd, input })).stdout).toBe(
      '1 added, 1 already there, 1 skipped (expired).\n',
    );
    expect(await restorable(storeIn(cwd))).toMatchObject([{ id: 'twice', content: 'y', index: true }]);
  });

  it.each([
    ['an id that is too long', { id: 'x'.repeat(513), content: 'x' }, 'record.id is longer'],
    ['a broken turn', { id: 'x', content: 'x', turn: { thread: 't' } }, 'record.turn.index'],
    ['a broken source', { id: 'x', content: 'x', source: { kind: 'rumour' } }, 'record.source.kind'],
    ['metadata that is not an object', { id: 'x', content: 'x', metadata: [1] }, 'record.metadata'],
    ['an invalid expiry', { id: 'x', content: 'x', expiresAt: 'soon' }, 'record.ttlMs'],
  ])('with %s is refused', async (_, record, words) => {
    const ended = await keepsake(['import', '-'], { cwd: temporaryDirectory(), input: JSON.stringify(record) });
    expect(ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`line 1: ${words}`) });
  });
});
