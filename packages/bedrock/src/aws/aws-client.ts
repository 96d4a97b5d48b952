/**
 * The part of an AWS SDK for JavaScript v3 client that this package uses. A client that you pass stays yours: it is never
 * destroyed, and other code can share it.
 */
export interface AwsClient {
  // biome-ignore lint/suspicious/noExplicitAny: commands and responses depend on the client
  send(command: any, options?: any): Promise<any>;
}

/** The location of a result: a union by `type`, as the service returns it. */
export interface RetrievalLocation {
  readonly type?: string | undefined;
  readonly customDocumentLocation?: { readonly id?: string | undefined } | undefined;
  readonly s3Location?: { readonly uri?: string | undefined } | undefined;
}

/** The part of a result that is read. */
export interface RetrievalResult {
  readonly content?: RetrievalContent | undefined;
  readonly location?: RetrievalLocation | undefined;
  readonly score?: number | undefined;
  readonly metadata?: { readonly [key: string]: unknown } | undefined;
}

/** The content of a result, by its type. */
export interface RetrievalContent {
  readonly text?: string | undefined;
  readonly row?:
    | readonly { readonly columnName?: string | undefined; readonly columnValue?: string | undefined }[]
    | undefined;
  readonly audio?: { readonly transcription?: string | undefined } | undefined;
  readonly video?: { readonly summary?: string | undefined } | undefined;
}

/** The identifier of a document in the service. */
export type DocumentIdentifier =
  | { readonly dataSourceType: 'CUSTOM'; readonly custom: { readonly id: string } }
  | { readonly dataSourceType: 'S3'; readonly s3: { readonly uri: string } };

/** The status of a document, as the service reports it. */
export interface DocumentDetail {
  readonly status?: string | undefined;
  readonly statusReason?: string | undefined;
  readonly updatedAt?: Date | undefined;
}
