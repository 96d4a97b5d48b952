import { encrypted, type KeyRing } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { useDirectory } from '@keepsake/testing';
import { expect, it } from 'vitest';
import { FileStore } from '../src/index.ts';
import { rawScan } from './folder.ts';

const directory = useDirectory();
const ring: KeyRing = { current: 'k1', keys: { k1: crypto.getRandomValues(new Uint8Array(32)) } };

function open(...namespace: string[]) {
  const store = new FileStore({ directory: directory.path, name: 'memory', namespace });
  return encrypted(store, ring, { index: new InMemoryStore({ name: 'index' }) });
}

it('encrypted records in files show no word, and are found, listed, replaced and deleted by other instances', async () => {
  const [alice, bob] = [open('a*'), open('ab')];
  await alice.put({ id: 'one', content: 'Sentinel heron', metadata: { sentinel: 'sentinel' } });
  await alice.putMany([{ id: 'two', content: 'Sentinel egret' }, { content: 'Sentinel stork' }]);
  await bob.put({ id: 'one', content: 'Sentinel heron of another' });
  await alice.put({ id: 'two', content: 'Sentinel crane', supersedes: 'one' }).catch(() => {});
  expect(rawScan(directory.path).toLowerCase()).not.toMatch(/sentinel|heron|egret|stork|crane/);

  const again = open('a*');
  expect((await again.search('heron')).map(({ content }) => content)).toEqual(['Sentinel heron']);
  expect((await again.list({ filter: { sentinel: 'sentinel' } })).items.map(({ id }) => id)).toEqual(['one']);
  await again.put({ id: 'two', content: 'Sentinel grebe' });
  expect((await alice.get('two'))?.content).toBe('Sentinel grebe');
  expect((await alice.search('egret')).map(({ id }) => id)).toEqual([]);
  expect(await again.delete('one')).toBe(true);
  expect((await alice.list()).items).toHaveLength(2);
  expect((await open('ab').list()).items).toHaveLength(1);
});
