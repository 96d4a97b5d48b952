import { type JsonObject, type JsonValue, MemoryError } from '@keepsake/core';
import { fieldPath } from '@keepsake/internal';

/** A metadata attribute, in the form of the service. */
export interface Attribute {
  readonly key: string;
  readonly value: AttributeValue;
}

type AttributeValue =
  | { readonly type: 'STRING'; readonly stringValue: string }
  | { readonly type: 'NUMBER'; readonly numberValue: number }
  | { readonly type: 'BOOLEAN'; readonly booleanValue: boolean }
  | { readonly type: 'STRING_LIST'; readonly stringListValue: string[] };

/** An entry of a document's access control list. */
export interface AccessControlEntry {
  /** `DENY` takes precedence over `ALLOW`. */
  readonly access: 'ALLOW' | 'DENY';
  /** The user's email address. */
  readonly name: string;
  /** The kind of principal. The service supports only `USER`. */
  readonly type: 'USER';
}

/** Limits of the service: attributes per document, characters per name, characters per string, elements per list. */
const MAX_ATTRIBUTES = 50;
const MAX_KEY = 200;
export const MAX_TEXT = 2048;
const MAX_LIST = 10;

/** Names that search adds to the metadata. */
const RESERVED = ['_relevanceScore', '_sourceLocation'] as const;

/**
 * Converts metadata to attributes, including the scope.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unsupported values and reserved names, `TOO_LARGE` over the limits of the
 *   service. Never drops a field.
 */
export function toAttributes(metadata: JsonObject, scopeKey: string, scope: string | undefined): Attribute[] {
  const attributes = Object.entries(metadata).map(([key, value], index) => {
    refuseIf(key === scopeKey, `metadata.${key} is reserved for the scope. Create a store with that scope instead`);
    refuseIf(
      (RESERVED as readonly string[]).includes(key),
      `metadata.${key} is reserved for search results. Use another name`,
    );
    // It would be lost on reading, because the AWS clients read it into the prototype.
    refuseIf(
      key === '__proto__',
      '`metadata` has a field named __proto__, which the AWS SDK does not read. Use another name',
    );
    refuseIf(key === '', '`metadata` has a field with an empty name. Bedrock requires 1 to 200 characters');
    tooLargeIf(key.length > MAX_KEY, `\`metadata\` has a field name of over ${MAX_KEY} characters`);
    return { key, value: toValue(value, `metadata${fieldPath(key, index + 1)}`) };
  });
  if (scope !== undefined) attributes.unshift({ key: scopeKey, value: { type: 'STRING', stringValue: scope } });
  tooLargeIf(attributes.length > MAX_ATTRIBUTES, `\`metadata\` has over ${MAX_ATTRIBUTES} fields, including the scope`);
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
      refuseIf(!isList, `${what} must be a string, a number, a boolean or a non-empty list of strings`);
      const list = value as string[];
      tooLargeIf(list.length > MAX_LIST, `${what} is a list of over ${MAX_LIST} strings`);
      return { type: 'STRING_LIST', stringListValue: list.map((text) => checkText(text, what)) };
    }
  }
}

function checkText(text: string, what: string): string {
  refuseIf(text === '', `${what} is or contains an empty string, which Bedrock does not support`);
  refuseIf(!text.isWellFormed(), `${what} contains a lone surrogate, which Bedrock does not support`);
  tooLargeIf(text.length > MAX_TEXT, `${what} is over ${MAX_TEXT} characters`);
  return text;
}

function refuseIf(isSo: boolean, message: string): void {
  if (isSo) throw new MemoryError('INVALID_ARGUMENT', `${message}.`);
}

function tooLargeIf(isSo: boolean, what: string): void {
  if (isSo)
    throw new MemoryError(
      'TOO_LARGE',
      `${what}, which is over the limit of Bedrock. Put long values into the content.`,
    );
}
