import type { RecordInput } from '@keepsake/core';

/** Something to import, or why it is left out. */
export type Found = {
  /** Where it stands in the input, for people: `line 7`. */
  readonly place: string;
} & (
  | { readonly record: RecordInput & { readonly id: string }; readonly leftOut?: undefined }
  | { readonly leftOut: 'blank' | 'expired' }
);

/** One kind of input: how to tell it, and what is in it. */
export interface Format {
  matches(value: Readonly<Record<string, unknown>>): boolean;
  read(value: Readonly<Record<string, unknown>>, place: string): Iterable<Found>;
  /** What could not be given before the end of the input. */
  end?(): Iterable<Found>;
}
