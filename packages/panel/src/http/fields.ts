import { Refusal } from './refusal.ts';

/** Reads a field of a query, whose values are texts, or of a body. Throws a `Refusal` if the value is invalid. */
type Reader<Value> = (value: unknown, name: string) => Value;

/** Which fields there are, and how to read them. */
type Readers = Readonly<Record<string, Reader<unknown>>>;

type Fields<Of extends Readers> = { readonly [Name in keyof Of]: ReturnType<Of[Name]> };

/** The fields of a query. Refuses unknown and repeated ones. */
export function readQuery<Of extends Readers>(query: URLSearchParams, readers: Of): Fields<Of> {
  const names = [...query.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw invalid(`The query names ${JSON.stringify(repeated.slice(0, 80))} twice.`);
  return readFields(Object.fromEntries(query), readers);
}

/** The fields of an object of a body. Refuses unknown ones. */
export function readFields<Of extends Readers>(input: object, readers: Of): Fields<Of> {
  const unknown = Object.keys(input).find((name) => !Object.hasOwn(readers, name));
  if (unknown !== undefined) {
    const names = Object.keys(readers).join(', ') || 'none';
    throw invalid(`Unknown field ${JSON.stringify(unknown.slice(0, 80))}. The fields are: ${names}.`);
  }
  const values = Object.entries(readers).map(([name, read]) => {
    return [name, read((input as Record<string, unknown>)[name], name)] as const;
  });
  return Object.fromEntries(values) as Fields<Of>;
}

/** A text, or `undefined`. An empty text counts as missing, because forms send such fields. */
export function text(maxLength = 4_096): Reader<string | undefined> {
  return (value, name) => {
    if (value === undefined || value === '') return undefined;
    if (typeof value !== 'string') throw invalid(`${name} must be a text.`);
    if (value.length > maxLength) throw invalid(`${name} must have at most ${maxLength} characters.`);
    if (!value.isWellFormed()) throw invalid(`${name} must be well-formed Unicode.`);
    return value;
  };
}

export function requiredText(maxLength?: number): Reader<string> {
  const read = text(maxLength);
  return (value, name) => {
    const result = read(value, name);
    if (result === undefined) throw invalid(`${name} is missing.`);
    return result;
  };
}

/** `true`, `false` or missing, which is `false`. */
export const flag: Reader<boolean> = (value, name) => {
  if (value === undefined || value === false || value === 'false') return false;
  if (value === true || value === 'true') return true;
  throw invalid(`${name} must be true or false.`);
};

/** A whole number from `least` to `most`. */
export function whole(least: number, most: number, byDefault: number): Reader<number> {
  return (value, name) => {
    if (value === undefined) return byDefault;
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    if (!Number.isSafeInteger(number) || Number(number) < least || Number(number) > most) {
      throw invalid(`${name} must be a whole number from ${least} to ${most}.`);
    }
    return Number(number);
  };
}

/** One of some texts, or `undefined`. */
export function oneOf<Choice extends string>(...choices: readonly Choice[]): Reader<Choice | undefined> {
  return (value, name) => {
    if (value === undefined || value === '') return undefined;
    const match = choices.find((choice) => choice === value);
    if (match === undefined) throw invalid(`${name} must be ${choices.join(', ')}.`);
    return match;
  };
}

/** The same with a default. */
export function oneOfElse<Choice extends string>(byDefault: Choice, ...others: readonly Choice[]): Reader<Choice> {
  const read = oneOf(byDefault, ...others);
  return (value, name) => read(value, name) ?? byDefault;
}

/** An object, or `undefined`. */
export const object: Reader<Readonly<Record<string, unknown>> | undefined> = (value, name) => {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(`${name} must be an object.`);
  return value as Readonly<Record<string, unknown>>;
};

export function invalid(message: string): Refusal {
  return new Refusal(400, 'INVALID_ARGUMENT', message);
}
