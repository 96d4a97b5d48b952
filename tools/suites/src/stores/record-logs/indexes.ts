import { expect } from 'vitest';
import { NAMESPACE, NAMESPACES, type RecordLogsCase } from './harness.ts';
import { begin, positionOf, randomPages, save, savedText, VARIANT } from './saved.ts';
import { put } from './write-records.ts';

export const indexCases: readonly RecordLogsCase[] = [
  {
    title: 'there is no saved index before one is published',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      expect(await log.readIndex(VARIANT)).toBeUndefined();
      await put(log, ['a']);
      expect(await log.readIndex(VARIANT)).toBeUndefined();
      const writer = await begin(log);
      await writer.write(Buffer.from('page'));
      expect(await open().open(NAMESPACE).readIndex(VARIANT)).toBeUndefined();
    },
  },
  {
    title: 'a published index is read byte for byte, however many pages it has',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a', 'b']);
      const sizes = [1, 3, 4, 5, 16, 17, 32, 70].map((count) => Array.from({ length: count }, (_, n) => 1 + n * 7));
      for (const pages of [...sizes.map(randomPages), randomPages([262_144, 262_144, 1])]) {
        const writer = await begin(log);
        for (const page of pages) await writer.write(page);
        const position = await positionOf(log);
        await writer.publish(position);
        const saved = await open().open(NAMESPACE).readIndex(VARIANT);
        expect({ log: saved?.log, change: saved?.change }).toEqual(position);
        expect(Buffer.compare(saved?.bytes ?? Buffer.of(), Buffer.concat(pages)), `${pages.length} pages`).toBe(0);
        await put(log, ['b']);
      }
    },
  },
  {
    title: 'one process at a time saves an index, another one after it was published or discarded',
    async run({ open }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      await put(log, ['a']);
      const first = await begin(log);
      expect(await other.writeIndex(VARIANT, Infinity)).toBeUndefined();
      expect(await log.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await first.write(Buffer.from('discarded'));
      expect(await other.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await first.discard();
      expect(await savedText(other)).toBeUndefined();
      const second = await begin(other);
      expect(await log.writeIndex(VARIANT, Infinity)).toBeUndefined();
      await second.write(Buffer.from('published'));
      await second.publish(await positionOf(other));
      await (await begin(log)).discard();
      expect(await savedText(log)).toBe('published');
    },
  },
  {
    title: 'of 8 processes that begin to save an index at once, one does',
    async run({ open }) {
      await put(open().open(NAMESPACE), ['a']);
      const logs = Array.from({ length: 8 }, () => open().open(NAMESPACE));
      const writers = await Promise.all(logs.map((log) => log.writeIndex(VARIANT, Infinity)));
      expect(writers.filter((writer) => writer !== undefined)).toHaveLength(1);
    },
  },
  {
    title: 'after the lease of a writer has ended, another process can save the index, and the former one can not',
    async run({ open, endLeases }) {
      const [log, other] = [open().open(NAMESPACE), open().open(NAMESPACE)];
      await put(log, ['a']);
      const position = await positionOf(log);
      const former = await begin(log);
      await former.write(Buffer.from('former'));
      await endLeases();
      const writer = await begin(other);
      await writer.write(Buffer.from('first '));
      await expect(former.write(Buffer.from('former'))).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(former.publish(position)).rejects.toMatchObject({ code: 'CONFLICT' });
      await former.discard();
      await writer.write(Buffer.from('second'));
      await writer.publish(position);
      expect(await savedText(log)).toBe('first second');
    },
  },
  {
    title: 'a published index replaces the one before, which is read until then',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      await save(log, 'first, and longer than the other');
      await put(log, ['b']);
      const discarded = await begin(log);
      await discarded.write(Buffer.from('discarded'));
      expect(await savedText(log)).toBe('first, and longer than the other');
      await discarded.discard();
      expect(await savedText(log)).toBe('first, and longer than the other');
      await save(log, 'second');
      expect(await savedText(open().open(NAMESPACE))).toBe('second');
      expect((await log.readIndex(VARIANT))?.change).toBe((await positionOf(log)).change);
    },
  },
  {
    title: 'an index is not saved by a process that knows of fewer changes than the saved one has',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const { change } = await positionOf(log);
      await put(log, ['b']);
      await save(log, 'saved');
      const latest = await positionOf(log);
      for (const known of [0, change, latest.change - 1]) {
        expect(await log.writeIndex(VARIANT, known), `known: ${known}`).toBeUndefined();
      }
      expect(await savedText(log)).toBe('saved');
      for (const known of [latest.change, latest.change + 1, Infinity]) {
        await (await begin(log, VARIANT, known)).discard();
      }
      await (await begin(log, 'other', 0)).discard();
    },
  },
  {
    title: 'the saved indexes of variants are separate',
    async run({ open }) {
      const log = open().open(NAMESPACE);
      await put(log, ['a']);
      const position = await positionOf(log);
      const variants = [VARIANT, '["one"]', '["one",3,"de"]', '[null,null,null,[]]', '["ONE",3]'];
      const writers = [];
      for (const variant of variants) writers.push(await begin(log, variant));
      for (const [n, writer] of writers.entries()) await writer.write(Buffer.from(`${n}`));
      for (const writer of writers.slice(1)) await writer.publish(position);
      await writers[0]?.discard();
      const texts = await Promise.all(variants.map((variant) => savedText(log, variant)));
      expect(texts).toEqual([undefined, '1', '2', '3', '4']);
      await save(log, 'another', variants[2]);
      expect(await savedText(log, variants[1])).toBe('1');
    },
  },
  {
    title: 'the saved indexes of namespaces are separate',
    async run({ open }) {
      const logs = open();
      for (const namespace of NAMESPACES) await put(logs.open(namespace), ['a']);
      for (const [n, namespace] of NAMESPACES.entries()) await save(logs.open(namespace), `${n}`);
      await logs.open(['a']).clear();
      await (await begin(logs.open(['ab']))).discard();
      for (const [n, namespace] of NAMESPACES.entries()) {
        expect(await savedText(logs.open(namespace))).toBe(n === 1 ? undefined : `${n}`);
      }
    },
  },
];
