import { isMemoryError, MemoryError, type Namespace, parseNamespace } from '@keepsake/core';

/** For a value that the package never writes: the file was damaged, or changed by another program. */
export function damaged(what: string, cause?: unknown): MemoryError {
  return new MemoryError('CORRUPT', `${what} is damaged in the file. Restore a backup, or clear the store.`, { cause });
}

/** A time as ISO 8601. @throws MemoryError `CORRUPT` for one beyond the times of JavaScript. */
export function readTime(ms: number): string {
  const time = new Date(ms);
  if (Number.isNaN(time.getTime())) throw damaged('A time');
  return time.toISOString();
}

/** @throws MemoryError `CORRUPT` for a path that is no namespace. */
export function readPath(path: string): Namespace {
  try {
    return parseNamespace(path);
  } catch (error) {
    throw isMemoryError(error) ? damaged('A namespace', error) : error;
  }
}

/** The bytes of a vector as the tables store it: 32-bit floats of this machine. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
}

/** @throws MemoryError `CORRUPT` unless it is a vector of this length with finite numbers. */
export function readVector(bytes: Uint8Array, dimensions: number): Float32Array {
  const vector = bytes.length === dimensions * 4 ? new Float32Array(bytes.slice().buffer) : undefined;
  if (vector?.every(Number.isFinite)) return vector;
  throw damaged('A vector of this store');
}
