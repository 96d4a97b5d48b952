import type { JsonValue } from '@keepsake/core';

/** Converts a value to the form of the API and back. `what` names the value in errors. */
export interface Codec {
  write(value: JsonValue, what: string): JsonValue;
  read(value: JsonValue): JsonValue;
}
