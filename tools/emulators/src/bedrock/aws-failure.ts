import type { ServiceAnswer } from '../http/service.ts';

/** An AWS error, with the name that its SDK uses. */
export class AwsFailure extends Error {
  readonly status: number;
  readonly type: string;

  constructor(status: number, type: string, message: string) {
    super(message);
    this.status = status;
    this.type = type;
  }

  /** In the form of the rest-json services of AWS. */
  get json(): ServiceAnswer {
    return { status: this.status, headers: { 'x-amzn-errortype': this.type }, body: { message: this.message } };
  }

  /** In the form of S3. */
  get xml(): ServiceAnswer {
    const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${this.type}</Code><Message>${this.message}</Message></Error>`;
    return { status: this.status, headers: { 'content-type': 'application/xml' }, body };
  }
}

export function invalid(message: string): AwsFailure {
  return new AwsFailure(400, 'ValidationException', message);
}

export function notFound(what: string): AwsFailure {
  return new AwsFailure(404, 'ResourceNotFoundException', `${what} could not be found.`);
}

/** The name of the error for a status that a fault sets. */
const TYPES: Readonly<Record<number, readonly [json: string, xml: string]>> = {
  400: ['ValidationException', 'InvalidRequest'],
  403: ['AccessDeniedException', 'AccessDenied'],
  404: ['ResourceNotFoundException', 'NoSuchBucket'],
  409: ['ConflictException', 'OperationAborted'],
  413: ['RequestEntityTooLarge', 'EntityTooLarge'],
  429: ['ThrottlingException', 'SlowDown'],
  500: ['InternalServerException', 'InternalError'],
  503: ['ServiceUnavailableException', 'ServiceUnavailable'],
};

/** The response to a request that a fault applies to. */
export function failureOf(status: number, service: string | undefined): ServiceAnswer {
  const [json, xml] = TYPES[status] ?? ['InternalServerException', 'InternalError'];
  if (service === 's3') return new AwsFailure(status, xml, 'The emulator was told to fail.').xml;
  return new AwsFailure(status, json, 'The emulator was told to fail.').json;
}
