import { z } from 'zod';
import type { ServiceRequest } from '../http/service.ts';
import { invalid } from './aws-failure.ts';
import { retrievalFilter } from './retrieval-filter.ts';

/* The input of the operations: exactly the shapes and limits that AWS publishes. */

const clientToken = z
  .string()
  .min(33)
  .max(256)
  .regex(/^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/)
  .optional();
const attributeText = z.string().min(1).max(2048);
const documentId = z.string().min(1).max(2048);
const uri = z
  .string()
  .max(2048)
  .regex(/^s3:\/\/[a-z0-9.-]{3,63}\/.+$/su);

/** The value must have exactly the field that its type names. */
const attributeValue = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('STRING'), stringValue: attributeText }),
  z.strictObject({ type: z.literal('NUMBER'), numberValue: z.number() }),
  z.strictObject({ type: z.literal('BOOLEAN'), booleanValue: z.boolean() }),
  z.strictObject({ type: z.literal('STRING_LIST'), stringListValue: z.array(attributeText).min(1).max(10) }),
]);

const access = z.enum(['ALLOW', 'DENY']);
const metadata = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('IN_LINE_ATTRIBUTE'),
    inlineAttributes: z
      .array(z.strictObject({ key: z.string().min(1).max(200), value: attributeValue }))
      .min(1)
      .max(50),
    accessControlList: z
      .array(z.strictObject({ name: z.string().min(1), type: z.literal('USER'), access }))
      .min(1)
      .optional(),
  }),
  z.strictObject({ type: z.literal('S3_LOCATION'), s3Location: z.strictObject({ uri }) }),
]);

const customContent = z.strictObject({
  dataSourceType: z.literal('CUSTOM'),
  custom: z.strictObject({
    customDocumentIdentifier: z.strictObject({ id: documentId }),
    sourceType: z.literal('IN_LINE'),
    inlineContent: z.strictObject({
      type: z.literal('TEXT'),
      textContent: z.strictObject({ data: z.string().min(1) }),
    }),
  }),
});
const s3Content = z.strictObject({
  dataSourceType: z.literal('S3'),
  s3: z.strictObject({ s3Location: z.strictObject({ uri }) }),
});

const identifier = z.discriminatedUnion('dataSourceType', [
  z.strictObject({ dataSourceType: z.literal('CUSTOM'), custom: z.strictObject({ id: documentId }) }),
  z.strictObject({ dataSourceType: z.literal('S3'), s3: z.strictObject({ uri }) }),
]);

const document = z.strictObject({
  content: z.discriminatedUnion('dataSourceType', [customContent, s3Content]),
  metadata: metadata.optional(),
});

export const ingestBody = z.strictObject({ clientToken, documents: z.array(document).min(1).max(25) });
export const deleteBody = z.strictObject({ clientToken, documentIdentifiers: z.array(identifier).min(1).max(25) });
export const getBody = z.strictObject({ documentIdentifiers: z.array(identifier).min(1).max(25) });
export const listBody = z.strictObject({
  maxResults: z.number().int().min(1).max(1000).optional(),
  nextToken: z.string().min(1).max(2048).optional(),
});

const search = z
  .strictObject({ numberOfResults: z.number().int().min(1).max(100).optional(), filter: retrievalFilter.optional() })
  .optional();
export const retrieveBody = z.strictObject({
  retrievalQuery: z.strictObject({ text: z.string().min(1).max(1000), type: z.literal('TEXT').optional() }),
  retrievalConfiguration: z
    .union([
      z.strictObject({ vectorSearchConfiguration: search }),
      z.strictObject({ managedSearchConfiguration: search }),
    ])
    .optional(),
  userContext: z.strictObject({ userId: z.string().min(1) }).optional(),
  nextToken: z.string().min(1).max(2048).optional(),
});

/** The metadata file of an object in an S3 data source. */
export const metadataFile = z.strictObject({
  metadataAttributes: z.record(
    z.string().min(1).max(200),
    z.strictObject({ value: attributeValue, includeForEmbedding: z.boolean() }),
  ),
  accessControlList: z
    .array(z.strictObject({ Name: z.string().min(1), Type: z.literal('USER'), Access: access }))
    .min(1)
    .optional(),
});

export type AttributeValue = z.infer<typeof attributeValue>;
export type DocumentBody = z.infer<typeof document>;
export type IdentifierBody = z.infer<typeof identifier>;
export type RetrieveBody = z.infer<typeof retrieveBody>;

/** Parses the body of a request against a schema. The error names the path but repeats no value. */
export function readBody<T>(shape: z.ZodType<T>, { body }: ServiceRequest): T {
  return readShape(shape, body.toString('utf8'));
}

export function readShape<T>(shape: z.ZodType<T>, json: string): T {
  let value: unknown;
  try {
    value = JSON.parse(json === '' ? '{}' : json);
  } catch {
    throw invalid('The body is not JSON.');
  }
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw invalid(`1 validation error detected at '${issue?.path.join('.') ?? ''}': ${issue?.message ?? 'invalid'}`);
}
