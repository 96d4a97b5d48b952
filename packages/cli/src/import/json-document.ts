import { JSONParser } from '@streamparser/json';
import { brokenInput } from './broken-input.ts';
import type { Value } from './read-values.ts';

/** One JSON value over many lines or megabytes: an array, of which the items are given one by one, or an object. */
export class JsonDocument {
  readonly #parser: JSONParser;
  readonly #isArray: boolean;
  #values: Value[] = [];
  #given = 0;
  #failure: Error | undefined;

  constructor(kind: 'array' | 'object') {
    this.#isArray = kind === 'array';
    this.#parser = new JSONParser({ paths: [this.#isArray ? '$.*' : '$'], keepStack: false });
    this.#parser.onValue = ({ value }) => {
      this.#values.push({ value, place: this.#isArray ? `item ${++this.#given}` : 'the file' });
    };
    this.#parser.onError = (error) => {
      this.#failure ??= error;
    };
  }

  /**
   * Goes on with the next bytes, and gives the values that end in them.
   *
   * @param place - Where they stand; in an array the number of the item says it.
   */
  *write(bytes: Uint8Array | string, place?: string): Iterable<Value> {
    this.#parser.write(bytes);
    const values = this.#values;
    this.#values = [];
    yield* values;
    if (this.#failure === undefined) return;
    const where = this.#isArray ? `What follows item ${this.#given}` : place;
    throw brokenInput(`${where} is not JSON.`, this.#failure);
  }

  /** Says that there is no more. */
  end(): void {
    if (!this.#parser.isEnded) throw brokenInput('The file ends in the middle.');
  }
}
