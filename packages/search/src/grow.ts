type NumberArray = Uint8Array | Uint32Array | Float32Array | Float64Array;

/** The array itself where it has room for `length` numbers, or else a half longer copy, its new places 0. */
export function grow<T extends NumberArray>(array: T, length: number): T {
  if (length <= array.length) return array;
  const longer = new (array.constructor as new (length: number) => T)(Math.max(length, Math.ceil(array.length * 1.5)));
  longer.set(array);
  return longer;
}
