import type { ServiceAnswer } from '../http/service.ts';

/** A refusal in the form of the OpenAI API. */
export class ApiFailure extends Error {
  readonly answer: ServiceAnswer;

  constructor(status: number, message: string, code: string | null = null, param: string | null = null) {
    super(message);
    this.answer = { status, body: { error: { message, type: TYPES[status] ?? 'invalid_request_error', param, code } } };
  }
}

const TYPES: Readonly<Record<number, string>> = { 429: 'requests', 500: 'server_error', 503: 'server_error' };

/** The error for a missing object. */
export function notFound(what: string, id: string): ApiFailure {
  return new ApiFailure(404, `${what} with id '${id}' not found.`);
}
