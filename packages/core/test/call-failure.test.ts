import { providerFailure } from '@keepsake/internal';
import { expect, it } from 'vitest';
import { callFailure } from '../src/adapter.ts';
import { MemoryError } from '../src/index.ts';

const withFields = (fields: object) => Object.assign(new Error('No.'), fields);
const PLACES: Readonly<Record<string, (status: number) => unknown>> = {
  status: (status) => withFields({ status }),
  'status of an object that is no Error': (status) => ({ status }),
  'status as a text': (status) => withFields({ status: `${status}` }),
  statusCode: (status) => withFields({ statusCode: status }),
  'response.status': (status) => withFields({ code: 'ERR_BAD_RESPONSE', response: { status } }),
  'response.statusCode': (status) => withFields({ response: { statusCode: status } }),
  '$metadata.httpStatusCode': (status) => withFields({ $metadata: { httpStatusCode: status } }),
  code: (status) => withFields({ code: status }),
  'code beside a status that is a word': (status) => withFields({ code: status, status: 'UNKNOWN' }),
  cause: (status) => new Error('Failed.', { cause: { cause: withFields({ status }) } }),
  'the cause of a MemoryError': (status) => new MemoryError('BACKEND', 'Failed.', { cause: withFields({ status }) }),
  'the error of a bridge': (status) => {
    const { code, message, ...rest } = providerFailure('Asking the model', withFields({ status }));
    return new MemoryError(code, message, rest);
  },
  'the last of several tries': (status) =>
    withFields({ errors: [withFields({ status: 429 }), withFields({ status })] }),
};
const KINDS = {
  refusal: [400, 405, 406, 411, 413, 415, 422, 451, 499],
  passing: [401, 402, 403, 404, 408, 409, 425, 429, 501, 502, 503, 504, 520, 529],
  server: [500],
} as const;

it.each(
  Object.entries(KINDS).flatMap(([kind, statuses]) =>
    statuses.flatMap((status) => Object.keys(PLACES).map((place) => [status, place, kind] as const)),
  ),
)('a status of %i in %s is a failure that is %s', (status, place, kind) => {
  expect(callFailure(PLACES[place]?.(status))).toBe(kind);
});

it.each<[what: string, error: unknown, kind: string]>([
  ['a code of Node', withFields({ code: 'ECONNRESET' }), 'passing'],
  [
    'a code of Node in a cause',
    new TypeError('fetch failed', { cause: withFields({ code: 'UND_ERR_SOCKET' }) }),
    'passing',
  ],
  ['a code of axios', withFields({ code: 'ERR_NETWORK' }), 'passing'],
  ['a timeout', new MemoryError('TIMEOUT', 'Too late.'), 'passing'],
  ['an error that may be tried again', new MemoryError('BACKEND', 'Later.', { retryable: true }), 'passing'],
  ['an error that may not', new MemoryError('BACKEND', 'No.', { retryable: false }), 'refusal'],
  ['another error', new Error('No.'), 'unclear'],
  ['a number that is no status', withFields({ code: 14, status: 0 }), 'unclear'],
  ['a status of success', withFields({ response: { status: 200 } }), 'unclear'],
  ['no error', undefined, 'unclear'],
])('%s is a failure that is known by its fields', (_, error, kind) => {
  expect(callFailure(error)).toBe(kind);
});

it('an error that is its own cause ends the search', () => {
  const error = new Error('No.');
  error.cause = error;
  expect(callFailure(error)).toBe('unclear');
});
