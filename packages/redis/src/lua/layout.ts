type Reader = (bytes: Buffer, at: number) => number;

/** Types of Lua's `struct`, big-endian: how many bytes each takes, and how to read it. */
const TYPES = {
  B: [1, (bytes, at) => bytes.readUInt8(at)],
  I4: [4, (bytes, at) => bytes.readUInt32BE(at)],
  d: [8, (bytes, at) => bytes.readDoubleBE(at)],
} as const satisfies Record<string, readonly [number, Reader]>;

type FieldTypes = Readonly<Record<string, keyof typeof TYPES>>;

/** Fields of a fixed size in their order. Scripts and TypeScript share one, so that each layout is written down once. */
export interface Layout<Fields extends FieldTypes> {
  /** The format for `struct.pack` and `struct.unpack`. */
  readonly format: string;
  /** The bytes that one takes. */
  readonly size: number;
  /** Where each field begins, counted from 0. */
  readonly offset: { readonly [Name in keyof Fields]: number };
  read(bytes: Buffer, at: number): { [Name in keyof Fields]: number };
}

export function layout<const Fields extends FieldTypes>(fields: Fields): Layout<Fields> {
  type Numbers = { [Name in keyof Fields]: number };
  let size = 0;
  const readers: (readonly [name: keyof Fields, offset: number, read: Reader])[] = [];
  for (const [name, type] of Object.entries(fields)) {
    const [bytes, read] = TYPES[type];
    readers.push([name, size, read]);
    size += bytes;
  }
  return {
    format: `>${Object.values(fields).join('')}`,
    size,
    offset: Object.fromEntries(readers.map(([name, offset]) => [name, offset])) as Numbers,
    read: (bytes, at) =>
      Object.fromEntries(readers.map(([name, offset, read]) => [name, read(bytes, at + offset)])) as Numbers,
  };
}
