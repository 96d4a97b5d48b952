/**
 * What is called of a client of the AWS SDK for JavaScript 3. A client that is given is the caller's: it is never
 * destroyed, and can be shared with anything else.
 */
export interface AwsClient {
  // biome-ignore lint/suspicious/noExplicitAny: the commands and answers are those of each client
  send(command: any, options?: any): Promise<any>;
}

/** Where a result was found: a union by `type`, as the service gives it. */
export interface RetrievalLocation {
  readonly type?: string | undefined;
  readonly customDocumentLocation?: { readonly id?: string | undefined } | undefined;
  readonly s3Location?: { readonly uri?: string | undefined } | undefined;
}

/** What is read of a result. */
export interface RetrievalResult {
  readonly content?: RetrievalContent | undefined;
  readonly location?: RetrievalLocation | undefined;
  readonly score?: number | undefined;
  readonly metadata?: { readonly [key: string]: unknown } | undefined;
}

/** What a result says, by its type. */
export interface RetrievalContent {
  readonly text?: string | undefined;
  readonly row?:
    | readonly { readonly columnName?: string | undefined; readonly columnValue?: string | undefined }[]
    | undefined;
  readonly audio?: { readonly transcription?: string | undefined } | undefined;
  readonly video?: { readonly summary?: string | undefined } | undefined;
}

/** Names a document to the service. */
export type DocumentIdentifier =
  | { readonly dataSourceType: 'CUSTOM'; readonly custom: { readonly id: string } }
  | { readonly dataSourceType: 'S3'; readonly s3: { readonly uri: string } };

/** What the service says of a document. */
export interface DocumentDetail {
  readonly status?: string | undefined;
  readonly statusReason?: string | undefined;
  readonly updatedAt?: Date | undefined;
}
