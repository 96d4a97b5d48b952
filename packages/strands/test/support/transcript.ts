/** 20 MB whose every kilobyte tells the number of the transcript. */
export function transcript(number: number): Uint8Array {
  return new Uint8Array(Buffer.alloc(20_000_000, `transcript ${number}\n`.padEnd(1_000, '.')));
}
