import { MemoryError } from '@keepsake/core';
import { InMemoryStore } from '@keepsake/in-memory';
import { StorageError } from '@strands-agents/sdk';
import { expect, it } from 'vitest';
import { KeepsakeStorage } from '../src/index.ts';

const LONG = 'k'.repeat(508);

it('keys of 508 characters are kept, and longer ones are refused', async () => {
  const storage = new KeepsakeStorage({ store: new InMemoryStore({ name: 'agents' }) });
  await storage.write(LONG, new Uint8Array([1]));
  expect(await storage.list(LONG)).toEqual([LONG]);
  for (const key of [`${LONG}k`, 'a\0', 'a\ud800']) {
    await expect(storage.write(key, new Uint8Array())).rejects.toThrow(StorageError);
    expect(await storage.read(key)).toBeNull();
    await storage.delete(key);
    expect(await storage.list(key)).toEqual([]);
  }
});

it('half of an emoji is a prefix, as in any string', async () => {
  const storage = new KeepsakeStorage({ store: new InMemoryStore({ name: 'agents' }) });
  await storage.write('😀/x', new Uint8Array([1]));
  expect(await storage.list('😀'.slice(0, 1))).toEqual(['😀/x']);
});

it('a failure of the store is a StorageError with its cause, and never a missing value', async () => {
  const failing = new Proxy(new InMemoryStore({ name: 'agents' }), {
    get(target, name, receiver) {
      if (name === 'within') return () => receiver;
      if (name === 'capabilities') return target.capabilities;
      return () => Promise.reject(new MemoryError('BACKEND', 'The disk failed.'));
    },
  });
  const storage = new KeepsakeStorage({ store: failing });
  for (const call of [
    () => storage.read('key'),
    () => storage.write('key', new Uint8Array()),
    () => storage.list(''),
  ]) {
    await expect(call()).rejects.toMatchObject({ name: 'StorageError', cause: { code: 'BACKEND' } });
  }
});

it('a value with a missing part is reported as corrupt', async () => {
  const store = new InMemoryStore({ name: 'agents' });
  const storage = new KeepsakeStorage({ store });
  await storage.write('key', new Uint8Array(800_000));
  const { items } = await store.within(['storage']).list({ idPrefix: 'part:' });
  await store.within(['storage']).delete(items[1]?.id ?? '');
  await expect(storage.read('key')).rejects.toMatchObject({ name: 'StorageError', cause: { code: 'CORRUPT' } });
});

it('a value that is replaced while it is read is read again', async () => {
  const store = new InMemoryStore({ name: 'agents' });
  const storage = new KeepsakeStorage({ store });
  await storage.write('key', new Uint8Array(800_000));
  let replaced = false;
  const raced = new Proxy(store.within(['storage']), {
    get(target, name) {
      if (name !== 'get') return Reflect.get(target, name).bind?.(target);
      return async (id: string) => {
        const found = await target.get(id);
        if (!replaced) await storage.write('key', new Uint8Array([7]));
        replaced = true;
        return found;
      };
    },
  });
  const reading = new Proxy(store, {
    get: (target, name) => (name === 'within' ? () => raced : Reflect.get(target, name)),
  });
  expect(await new KeepsakeStorage({ store: reading }).read('key')).toEqual(new Uint8Array([7]));
  expect(replaced).toBe(true);
});

it('a value whose deletion was interrupted is gone, and what is left of it goes with the next value', async () => {
  const store = new InMemoryStore({ name: 'agents' });
  const records = store.within(['storage']);
  let deletes = 0;
  const dying = new Proxy(store, {
    get: (target, name) =>
      name === 'within'
        ? () =>
            new Proxy(records, { get: (of, method) => (method === 'delete' ? die : Reflect.get(of, method).bind(of)) })
        : Reflect.get(target, name),
  });
  const die = async () => {
    deletes++;
    throw new Error('The process was killed.');
  };
  const storage = new KeepsakeStorage({ store });
  await storage.write('key', new Uint8Array(800_000));
  await expect(new KeepsakeStorage({ store: dying }).delete('key')).rejects.toThrow(StorageError);
  expect(deletes).toBeGreaterThan(0);
  expect(await storage.read('key')).toBeNull();
  expect(await storage.list('')).toEqual([]);
  await storage.delete('key');
  await storage.write('key', new Uint8Array([7]));
  expect(await storage.read('key')).toEqual(new Uint8Array([7]));
  expect((await records.list()).items).toHaveLength(2);
});

it('a new value is listed, although another one was written and deleted before it', async () => {
  const store = new InMemoryStore({ name: 'agents' });
  const reached = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const records = store.within(['storage']);
  const slow = new Proxy(records, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== 'putMany') return typeof value === 'function' ? value.bind(target) : value;
      return async (inputs: Parameters<typeof records.putMany>[0]) => {
        reached.resolve();
        await go.promise;
        return target.putMany(inputs);
      };
    },
  });
  const slowStore = new Proxy(store, {
    get: (target, name) => (name === 'within' ? () => slow : Reflect.get(target, name)),
  });
  const writing = new KeepsakeStorage({ store: slowStore }).write('key', new Uint8Array([1]));
  await reached.promise;
  const storage = new KeepsakeStorage({ store });
  await storage.write('key', new Uint8Array([2]));
  await storage.delete('key');
  go.resolve();
  await writing;
  expect(await storage.read('key')).toEqual(new Uint8Array([1]));
  expect(await storage.list('')).toEqual(['key']);
});

it('a store without atomic batches is refused', () => {
  const store = new InMemoryStore({ name: 'agents' });
  const capabilities = { ...store.capabilities, atomicBatch: false };
  const eventual = new Proxy(store, {
    get: (of, name) => (name === 'capabilities' ? capabilities : Reflect.get(of, name)),
  });
  expect(() => new KeepsakeStorage({ store: eventual })).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }));
  expect(() => new KeepsakeStorage({} as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
});

it.each(['{"write"', 'null', '{"write":"w","parts":{"toString":1},"bytes":1}', '{"write":"w","parts":1e15,"bytes":1}'])(
  'a damaged value %j is an error of every call, and takes no memory',
  async (content) => {
    const store = new InMemoryStore({ name: 'agents' });
    const storage = new KeepsakeStorage({ store });
    await storage.write('key', new Uint8Array([1]));
    await store.within(['storage']).put({ id: 'key:key', content, index: false });
    for (const call of [() => storage.read('key'), () => storage.delete('key'), () => storage.list('')]) {
      await expect(call()).rejects.toMatchObject({ cause: { code: 'CORRUPT' } });
    }
  },
);
