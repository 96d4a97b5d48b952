import { JSONParser } from '@streamparser/json';
import { type BrokenInput, brokenInput } from '../broken-input.ts';

/** A JSON value of an input. */
export interface Value {
  readonly value: unknown;
  /** What is wrong with it, if it can't be read but the values after it can. */
  readonly failure?: BrokenInput;
  /** Its position, as printed: `line 7`, or `item 3` of an array. */
  readonly place: string;
}

/** Parses a JSON document of any size: an array, whose items are returned one by one, or an object. */
export class JsonDocument {
  readonly #parser: JSONParser;
  readonly #isArray: boolean;
  #values: Value[] = [];
  #itemCount = 0;
  #failure: Error | undefined;

  constructor(kind: 'array' | 'object') {
    this.#isArray = kind === 'array';
    this.#parser = new JSONParser({ paths: [this.#isArray ? '$.*' : '$'], keepStack: false });
    this.#parser.onValue = ({ value }) => {
      this.#values.push({ value, place: this.#isArray ? `item ${++this.#itemCount}` : 'the file' });
    };
    this.#parser.onError = (error) => {
      this.#failure ??= error;
    };
  }

  /**
   * Parses the next bytes and returns the values that they complete.
   *
   * @param place - The position of the bytes in the input. Arrays count their items instead.
   */
  *write(bytes: Uint8Array | string, place?: string): Iterable<Value> {
    this.#parser.write(bytes);
    const values = this.#values;
    this.#values = [];
    yield* values;
    if (this.#failure === undefined) return;
    const where = this.#isArray ? `The input after item ${this.#itemCount}` : place;
    throw brokenInput(`${where} is not JSON.`, this.#failure);
  }

  /** Ends the input. */
  end(): void {
    if (!this.#parser.isEnded) throw brokenInput('The file ends in the middle of a value.');
  }
}
