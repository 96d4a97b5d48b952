type NumberArray = Uint8Array | Uint32Array | Float32Array | Float64Array;

/** Returns the array if it has room for `length` numbers, else a copy that is half as long again, filled with 0. */
export function grow<T extends NumberArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(length, Math.ceil(array.length * 1.5)));
  longer.set(array);
  return longer;
}
