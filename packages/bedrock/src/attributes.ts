import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';

/** A metadata attribute as the service takes it. */
export interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}

type AttributeValue =
  | { readonly type: 'STRING'; readonly stringValue: string }
  | { readonly type: 'NUMBER'; readonly numberValue: number }
  | { readonly type: 'BOOLEAN'; readonly booleanValue: boolean }
  | { readonly type: 'STRING_LIST'; readonly stringListValue: string[] };

/** Who may see a document: an entry of its access control list. */
export interface AccessControlEntry {
  /** `DENY` goes before `ALLOW`. */
  readonly access: 'ALLOW' | 'DENY';
  /** The user: the service tells users by their email addresses. */
  readonly name: string;
  /** What kind of principal it is: the service knows this one. */
  readonly type: 'USER';
}

/** What the service takes: of a document, of a name, of a text, and of a list. */
const MAX_ATTRIBUTES = 50;
const MAX_KEY = 200;
export const MAX_TEXT = 2048;
const MAX_LIST = 10;

/** What search adds to the metadata. */
const RESERVED = ['_relevanceScore', '_sourceLocation'] as const;

/**
 * Metadata as attributes, with the scope among them.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for what no attribute can hold and for names that are taken, `TOO_LARGE` for more
 *   than the service takes. Nothing is ever left out.
 */
export function toAttributes(metadata: JsonObject, scopeKey: string, scope: string | undefined): Attribute[] {
  const attributes = Object.entries(metadata).map(([key, value]) => {
    refuseIf(key === scopeKey, `metadata.${key} names a scope. That is for the store to say: make one with that scope`);
    refuseIf(
      (RESERVED as readonly string[]).includes(key),
      `metadata.${key} is what search says of a result. Name it differently`,
    );
    // On its way back it would be lost: clients read it into the prototype.
    refuseIf(
      key === '__proto__',
      'A metadata field is named __proto__, which the AWS SDK does not read. Name it differently',
    );
    refuseIf(key === '', 'The name of a metadata field is empty. Bedrock takes 1 to 200 characters');
    tooLargeIf(key.length > MAX_KEY, `The name of a metadata field is over ${MAX_KEY} characters`);
    return { key, value: toValue(value, `metadata.${key.length > 40 ? `${key.slice(0, 40)}…` : key}`) };
  });
  if (scope !== undefined) attributes.unshift({ key: scopeKey, value: { type: 'STRING', stringValue: scope } });
  tooLargeIf(
    attributes.length > MAX_ATTRIBUTES,
    `The metadata has over ${MAX_ATTRIBUTES} fields, the scope among them`,
  );
  return attributes;
}

function toValue(value: JsonValue, what: string): AttributeValue {
  switch (typeof value) {
    case 'string':
      return { type: 'STRING', stringValue: checkText(value, what) };
    case 'number':
      return { type: 'NUMBER', numberValue: value };
    case 'boolean':
      return { type: 'BOOLEAN', booleanValue: value };
    default: {
      const isList = Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');
      refuseIf(!isList, `${what} is to be a text, a number, a boolean or a list of texts that is not empty`);
      const list = value as string[];
      tooLargeIf(list.length > MAX_LIST, `${what} is a list of over ${MAX_LIST} texts`);
      return { type: 'STRING_LIST', stringListValue: list.map((text) => checkText(text, what)) };
    }
  }
}

function checkText(text: string, what: string): string {
  refuseIf(text === '', `${what} is or holds an empty text, which Bedrock does not take`);
  refuseIf(!text.isWellFormed(), `${what} holds a lone surrogate, which Bedrock does not take`);
  tooLargeIf(text.length > MAX_TEXT, `${what} is over ${MAX_TEXT} characters`);
  return text;
}

function refuseIf(isSo: boolean, message: string): void {
  if (isSo) throw new MemoryError('INVALID_ARGUMENT', `${message}.`);
}

function tooLargeIf(isSo: boolean, what: string): void {
  if (isSo)
    throw new MemoryError('TOO_LARGE', `${what}, which is more than Bedrock takes. Keep what is long in the content.`);
}
