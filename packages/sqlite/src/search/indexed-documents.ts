import { blockOf, type PlacesByBlock, placeOf, type WorkSteps } from '@keepsake/search/remote';
import type { Database } from '../database/database.ts';
import { documentsWith, type Field } from '../records/field-rows.ts';

/** How many are read at a time. */
const AT_ONCE = 5_000;

/** The documents of a namespace with a value in an indexed field. Reads only as many as are asked for, in steps. */
export class IndexedDocuments {
  readonly #database: Database;
  readonly #namespace: number;
  readonly #field: Field;
  readonly #steps: WorkSteps;
  readonly #places = new Map<number, number[]>();
  #count = 0;
  #lastRecord = 0;
  #areAll = false;

  constructor(database: Database, namespace: number, field: Field, steps: WorkSteps) {
    this.#database = database;
    this.#namespace = namespace;
    this.#field = field;
    this.#steps = steps;
  }

  /** All of them, unless they are more than `most`. */
  async upTo(most: number): Promise<PlacesByBlock | undefined> {
    while (!this.#areAll && this.#count <= most) {
      if (this.#steps.isDue) await this.#steps.pause();
      await this.#readMore(Math.min(AT_ONCE, most + 1 - this.#count));
    }
    return this.#count <= most ? this.#places : undefined;
  }

  async #readMore(limit: number): Promise<void> {
    const { documents, rows, lastRecord } = await this.#database.read((connection) =>
      documentsWith(connection, this.#namespace, this.#field, { after: this.#lastRecord, limit }),
    );
    for (const document of documents) {
      const block = blockOf(document);
      const places = this.#places.get(block);
      if (places === undefined) this.#places.set(block, [placeOf(document)]);
      else places.push(placeOf(document));
    }
    this.#count += rows;
    this.#lastRecord = lastRecord;
    this.#areAll = rows < limit;
  }
}
