const TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  return crc;
});

/** The checksum of pages. That of `node:zlib` is twenty times as fast, but not every runtime has it. */
export const crc32: (bytes: Uint8Array) => number =
  globalThis.process?.getBuiltinModule?.('node:zlib')?.crc32 ?? withTable;

function withTable(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] as number);
  return ~crc >>> 0;
}
