import { type MemoryIndex, MemoryLog } from '../memory-logs.ts';
import { type Mutants, turn, unchecked, writes } from './mutant.ts';

export const indexesMutants: Mutants = {
  'a saved index is current only as long as nothing has changed since': [
    {
      log: (real) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          return saved && { ...saved, currentAt: Date.now() };
        },
      }),
    },
  ],
  'there is no saved index before one is published': [
    writes((_, inside, variant) => ({
      write: async (written) => void inside.indexes.set(variant, { id: 1, log: inside.log, change: 1, written }),
    })),
  ],
  'a published index is read byte for byte, however many pages it has': [
    {
      log: (real) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          return saved && { ...saved, count: Math.min(saved.count, 100) };
        },
      }),
    },
  ],
  'the last page of a saved index is read with it, and any others when they are needed': [
    {
      log: (real) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          return saved && { ...saved, pages: new Map([...saved.pages].slice(0, -1)) };
        },
      }),
    },
    {
      log: (real) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          return saved && { ...saved, read: async (pages) => saved.read(pages.toSorted().slice(1)) };
        },
      }),
    },
    {
      log: (_, inside) => ({
        readIndex(variant) {
          inside.lastPages = Infinity;
          return MemoryLog.prototype.readIndex.call(inside, variant);
        },
      }),
    },
  ],
  'of an index that was replaced, no page of the other one is read': [
    {
      log: (real, inside) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          const read = async (pages: readonly number[]) => {
            const { written } = inside.indexes.get(variant) as MemoryIndex;
            return new Map(pages.flatMap((page) => (written[page] ? [[page, written[page]]] : [])));
          };
          return saved && { ...saved, read };
        },
      }),
    },
    {
      log: (real) => ({
        async readIndex(variant) {
          const saved = await real.readIndex(variant);
          return saved && { ...saved, id: saved.count };
        },
      }),
    },
  ],
  'one process at a time saves an index, another one after it was published or discarded': [
    {
      log: (real, inside) => ({
        writeIndex(variant, known) {
          inside.writers.clear();
          return real.writeIndex(variant, known);
        },
      }),
    },
    writes(() => ({ discard: async () => {} })),
  ],
  'of 8 processes that begin to save an index at once, one does': [
    {
      log: (real, inside) => ({
        async writeIndex(variant, known) {
          const isFree = !inside.writers.has(variant);
          await turn();
          if (isFree) inside.writers.delete(variant);
          return real.writeIndex(variant, known);
        },
      }),
    },
  ],
  'after the lease of a writer has ended, another process can save the index, and the former one can not': [
    unchecked,
    writes((_, inside, variant) => ({ discard: async () => void inside.writers.delete(variant) })),
  ],
  'a published index replaces the one before, which is read until then': [
    {
      log: (real, inside) => ({
        writeIndex(variant, known) {
          inside.indexes.delete(variant);
          return real.writeIndex(variant, known);
        },
      }),
    },
    writes((writer, inside, variant) => ({
      async discard() {
        await writer.discard();
        inside.indexes.delete(variant);
      },
    })),
  ],
  'an index is not saved by a process that knows of fewer changes than the saved one has': [
    { log: (real) => ({ writeIndex: (variant) => real.writeIndex(variant, Infinity) }) },
    { log: (real) => ({ writeIndex: (variant, known) => real.writeIndex(variant, known - 1) }) },
  ],
  'the saved indexes of variants are separate': [
    {
      log: (real, inside) => ({
        readIndex: (variant) =>
          real.readIndex(inside.indexes.has(variant) ? variant : ([...inside.indexes.keys()][0] ?? '')),
      }),
    },
    {
      log: (real) => ({
        readIndex: (variant) => real.readIndex(variant.toLowerCase()),
        writeIndex: (variant, known) => real.writeIndex(variant.toLowerCase(), known),
      }),
    },
  ],
  'the saved indexes of namespaces are separate': [
    {
      logs: (real) => {
        const { open } = real;
        const root = open.call(real, []);
        return { open: (namespace) => Object.assign(open.call(real, namespace), { indexes: root.indexes }) };
      },
    },
  ],
};
