import type { MemoryRecord } from '@keepsake/core';
import { type IdentifiedRecord, revisedSource } from '@keepsake/core/adapter';
import type { ScriptArgument } from '../client/redis-client.ts';
import { packId } from './pack-id.ts';
import { guardOf, type IndexedParts, type Known, linesOf, readKnown } from './stored-record.ts';
import { slicesOf, workOf } from './work.ts';

/** The records of a batch that have the same id: the last of them is stored, as the last of as many versions. */
interface Entry {
  readonly inputs: IdentifiedRecord[];
  /** Their places in the batch. */
  readonly places: number[];
  parts: IndexedParts;
}

/** Decides about a batch by what is stored under its ids: returns records to keep instead, or throws. */
export type Decide = (known: readonly Known[]) => readonly MemoryRecord[] | undefined;

/** A batch to put in slices, with what is known of the records that it replaces. */
export class LargeBatch {
  /** In the order of the first record of each id. */
  readonly slices: readonly (readonly Entry[])[];
  /** What each record of the batch replaces. */
  readonly known: Known[];
  readonly #decide: Decide;

  constructor(
    inputs: readonly IdentifiedRecord[],
    parts: readonly IndexedParts[],
    known: readonly Known[],
    decide: Decide,
  ) {
    this.known = [...known];
    this.#decide = decide;
    const entries = new Map<string, Entry>();
    for (const [n, input] of inputs.entries()) {
      const own = parts[n] as IndexedParts;
      const entry = entries.get(input.id) ?? { inputs: [], places: [], parts: own };
      entries.set(input.id, entry);
      entry.inputs.push(input);
      entry.places.push(n);
      entry.parts = own;
    }
    this.slices = slicesOf([...entries.values()], ({ inputs, parts }) =>
      workOf(parts.document, parts.vector.length + 2 * (inputs.at(-1)?.content.length ?? 0)),
    );
  }

  /** How many ids it has. */
  get size(): number {
    return this.slices.reduce((sum, slice) => sum + slice.length, 0);
  }

  /** The documents of the records that it replaces, in their order. */
  get replaced(): number[] {
    return [...new Set(this.known.flatMap((known) => known?.document ?? []))].sort((a, b) => a - b);
  }

  /** What `STAGE` reads of a slice. */
  valuesOf(slice: readonly Entry[]): ScriptArgument[] {
    return slice.flatMap(({ inputs, places, parts }) => {
      const [first, last] = [inputs[0] as IdentifiedRecord, inputs.at(-1) as IdentifiedRecord];
      const known = this.known[places[0] as number];
      const source = inputs.reduce((former, input) => revisedSource(input.source, former), known?.record.source);
      return [
        ...[packId(last.id), known === undefined ? '' : guardOf(known), inputs.length],
        ...[first.createdAt === undefined ? '' : Date.parse(first.createdAt), last.ttlMs ?? ''],
        ...[linesOf({ ...last, source }), parts.vector, ...parts.document],
      ];
    });
  }

  /** Takes in what is stored under the ids of a slice, as `STAGE` replied. Returns records to keep instead of the batch. */
  learn(slice: readonly Entry[], details: readonly unknown[]): readonly MemoryRecord[] | undefined {
    for (const [n, { places }] of slice.entries()) {
      const known = readKnown(details[2 * n], details[2 * n + 1]);
      for (const place of places) this.known[place] = known;
    }
    return this.#decide(this.known);
  }
}
