import { isMemoryError, type MemoryErrorCode } from '@keepsake/core';
import type { ApiError } from '../protocol.ts';
import { Refusal } from './refusal.ts';

/** In every answer. The page runs its own files only, in no frame, and asks nobody else. */
const SECURITY: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/** The HTTP status of a failure. */
const STATUS: Readonly<Record<MemoryErrorCode, number>> = {
  INVALID_ARGUMENT: 400,
  UNSUPPORTED: 422,
  READ_ONLY: 403,
  CONFLICT: 409,
  TOO_LARGE: 413,
  TIMEOUT: 504,
  ABORTED: 503,
  OUTCOME_UNKNOWN: 502,
  CORRUPT: 500,
  CLOSED: 503,
  BACKEND: 502,
};

/** An answer with the headers that all have. Nothing is stored unless the headers allow it. */
export function answer(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null,
  status: number,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(body, { status, headers: { ...SECURITY, 'cache-control': 'no-store', ...headers } });
}

export function jsonAnswer(value: object, status = 200): Response {
  return answer(JSON.stringify(value), status, { 'content-type': 'application/json; charset=utf-8' });
}

export function textAnswer(text: string, status: number): Response {
  return answer(text, status, { 'content-type': 'text/plain; charset=utf-8' });
}

/** The answer to a request that failed. The page gets messages that say what to do, never causes and stacks. */
export function failureAnswer(error: unknown): Response {
  return jsonAnswer({ error: describeFailure(error) } satisfies ApiError, statusOf(error));
}

export function describeFailure(error: unknown): ApiError['error'] {
  if (error instanceof Refusal || isMemoryError(error)) return { code: error.code, message: error.message };
  return { code: 'INTERNAL', message: 'The panel failed. The program that runs it can say why: see onError.' };
}

function statusOf(error: unknown): number {
  if (error instanceof Refusal) return error.status;
  return isMemoryError(error) ? STATUS[error.code] : 500;
}
