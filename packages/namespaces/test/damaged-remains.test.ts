import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkDirectory, FileSessionStore, FileStore } from '@keepsake/file';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compactDamaged } from '../src/erasure/damaged-entries.ts';
import { MemorySpace } from '../src/index.ts';

const alice = { id: 'alice' };
const bob = { id: 'bob' };

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keepsake-damaged-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function openStore(): FileStore {
  return new FileStore({ directory, name: 'memory', durability: 'os', onCorrupt() {} });
}

function openSpace(): MemorySpace {
  return new MemorySpace({
    store: openStore(),
    sessions: new FileSessionStore({ directory, durability: 'os' }),
    agents: { bot: { sharedNamespaces: ['docs', 'faq'] } },
    pools: { docs: { readers: ['*'], writers: ['*'] }, faq: { readers: ['*'], writers: ['*'] } },
  });
}

function filesBelow(): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : []));
}

function raw(): string {
  return filesBelow()
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

/** Damages every log that contains `text` by replacing it with another of the same length. */
function damage(text: string | RegExp, other: string): void {
  for (const path of filesBelow().filter((name) => name.endsWith('.jsonl'))) {
    writeFileSync(path, readFileSync(path, 'latin1').replace(text, other), 'latin1');
  }
}

async function setAside(): Promise<void> {
  for await (const _ of checkDirectory({ directory, repair: true }));
}

/** Entries of both users in the pool, of each of which one is damaged. */
async function fillAndDamage(): Promise<void> {
  const space = openSpace();
  for (const principal of [alice, bob]) {
    const pool = space.as({ principal, agent: 'bot' }).pool('docs');
    for (const n of [1, 2])
      await pool.put({ id: `${principal.id} ${n}`, content: `The heron of ${principal.id} ${n}` });
  }
  await space.as({ principal: bob, agent: 'bot' }).pool('faq').put({ id: 'faq', content: 'The stork of bob 1' });
  await space.as({ principal: bob, agent: 'bot' }).pool('faq').put({ id: 'other', content: 'The stork of bob 2' });
  damage('heron of alice 1', 'h#ron of alice 1');
  damage('heron of bob 1', 'h#ron of bob 1');
  damage('stork of bob 1', 'st#rk of bob 1');
}

describe('what damage left of shared entries', () => {
  it.each([
    ['in the log', async () => {}],
    ['set aside', setAside],
  ])('is erased with the user who wrote it, %s, and that of others is kept', async (_, prepare) => {
    await fillAndDamage();
    await prepare();
    expect(raw()).toContain('h#ron of alice 1');
    const receipt = await openSpace().eraseUser(alice, { sharedEntries: true });
    expect(receipt).toMatchObject({ sharedEntries: 1, damagedEntries: 1 });
    expect(raw()).not.toContain('alice');
    for (const text of ['h#ron of bob 1', 'heron of bob 2', 'st#rk of bob 1', 'stork of bob 2']) {
      expect(raw()).toContain(text);
    }
    expect(await openSpace().eraseUser(alice, { sharedEntries: true })).toMatchObject({ damagedEntries: 0 });
  });

  it('is erased if the name of its writer is damaged, or missing', async () => {
    await fillAndDamage();
    const pool = openSpace().as({ principal: alice, agent: 'bot' }).pool('docs');
    await pool.put({ id: 'x', content: 'A crane' });
    await pool.put({ id: 'y', content: 'A plover' });
    damage(/(A crane".*"u:ali)ce"/, '$1cf"');
    damage(/(A plover".*"writt)en(By":"u:alice")/, '$1#n$2');
    const receipt = await openSpace().eraseUser(alice, { sharedEntries: true });
    expect(receipt).toMatchObject({ sharedEntries: 1, damagedEntries: 3 });
    expect(raw()).not.toMatch(/A crane|A plover|alice/);
    expect(raw()).toContain('h#ron of bob 1');
  });

  it('is erased even if another process has written an entry of this user since', async () => {
    await fillAndDamage();
    const { namespace } = openSpace().as({ principal: alice, agent: 'bot' }).pool('docs');
    expect(await compactDamaged(openStore().within(namespace), alice)).toBe(1);
    expect(raw()).not.toContain('h#ron of alice 1');
    for (const text of ['heron of alice 2', 'h#ron of bob 1']) expect(raw()).toContain(text);
  });

  it('stays without sharedEntries, and in a dry run', async () => {
    await fillAndDamage();
    expect(await openSpace().eraseUser(alice, { sharedEntries: true, dryRun: true })).toMatchObject({
      sharedEntries: 1,
      damagedEntries: 0,
    });
    expect(await openSpace().eraseUser(alice, {})).toMatchObject({ damagedEntries: 0 });
    expect(raw()).toContain('h#ron of alice 1');
  });

  it('is erased in private memory with everything else', async () => {
    const space = openSpace();
    const { memory } = space.as({ principal: alice, agent: 'bot' });
    await memory.put({ content: 'The heron of alice' });
    await memory.put({ content: 'The crane of alice' });
    damage('heron of alice', 'h#ron of alice');
    await setAside();
    expect(raw()).toContain('h#ron of alice');
    await openSpace().eraseUser(alice, {});
    expect(raw()).not.toMatch(/h#ron|crane/);
  });
});
