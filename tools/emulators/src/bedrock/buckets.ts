import { crc32 } from 'node:zlib';
import type { ServiceAnswer, ServiceRequest } from '../http/service.ts';
import { AwsFailure } from './aws-failure.ts';

/** The part of S3 that data sources need: putting and deleting whole objects. Keys are `s3://` URIs. */
export class Buckets {
  readonly #names: ReadonlySet<string>;
  readonly #objects = new Map<string, Buffer>();

  constructor(names: readonly string[]) {
    this.#names = new Set(names);
  }

  /** The text of an object, or `undefined` if it does not exist. */
  read(uri: string): string | undefined {
    return this.#objects.get(uri)?.toString('utf8');
  }

  /** The URIs of all objects. */
  uris(): string[] {
    return [...this.#objects.keys()];
  }

  answer(request: ServiceRequest): ServiceAnswer {
    const [bucket = '', ...parts] = decodeURIComponent(request.path.slice(1)).split('/');
    const key = parts.join('/');
    if (!this.#names.has(bucket)) throw new AwsFailure(404, 'NoSuchBucket', 'The specified bucket does not exist');
    if (key === '' || Buffer.byteLength(key) > 1024)
      throw new AwsFailure(400, 'KeyTooLongError', 'A key has 1 to 1024 bytes.');
    const uri = `s3://${bucket}/${key}`;
    const operation = `${request.method} ${request.query.get('x-id') ?? ''}`;
    if (operation === 'PUT PutObject') return this.#put(uri, request);
    if (operation !== 'DELETE DeleteObject')
      throw new AwsFailure(501, 'NotImplemented', `${operation} is not emulated.`);
    this.#objects.delete(uri);
    return { status: 204, body: '' };
  }

  #put(uri: string, { headers, body }: ServiceRequest): ServiceAnswer {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const given = headers['x-amz-checksum-crc32'];
    if (given !== undefined && given !== sum.toString('base64')) {
      throw new AwsFailure(400, 'BadDigest', 'The checksum is not that of the body.');
    }
    const condition = headers['if-none-match'];
    if (condition !== undefined && condition !== '*')
      throw new AwsFailure(501, 'NotImplemented', 'If-None-Match must be *.');
    if (condition === '*' && this.#objects.has(uri)) {
      throw new AwsFailure(412, 'PreconditionFailed', 'At least one of the preconditions did not hold');
    }
    this.#objects.set(uri, body);
    return { status: 200, headers: { etag: `"${sum.toString('hex')}"` }, body: '' };
  }
}
