import { type ApiError, CSRF_HEADER, PATHS, type Status } from '../../../src/protocol.ts';

/** Values of a query. Missing, empty and `false` ones are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A request that failed: with the server's code and message, or with `OFFLINE` if there was no answer. */
export class ApiFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

let csrfToken: string | undefined;

export async function loadStatus(signal: AbortSignal): Promise<Status> {
  const status = await get<Status>(PATHS.status, {}, signal);
  csrfToken = status.csrfToken;
  return status;
}

export function get<T>(path: string, query: Query, signal?: AbortSignal): Promise<T> {
  return request<T>(urlOf(path, query), { signal: signal ?? null });
}

export function post<T>(path: string, body: object): Promise<T> {
  const headers = { 'content-type': 'application/json', [CSRF_HEADER]: csrfToken ?? '' };
  return request<T>(urlOf(path), { method: 'POST', headers, body: JSON.stringify(body) });
}

/** An address below that of the page, wherever a server has mounted it. */
export function urlOf(path: string, query: Query = {}): string {
  const url = new URL(path, document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '' && value !== false) url.searchParams.set(name, String(value));
  }
  url.hash = '';
  return url.href;
}

async function request<T>(url: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, { ...options, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiFailure('OFFLINE', 'The panel does not answer. Is `keepsake panel` still running?');
  }
  if (response.ok) return (await response.json()) as T;
  throw await failureOf(response);
}

async function failureOf(response: Response): Promise<ApiFailure> {
  if (response.status === 401) {
    return new ApiFailure(
      'UNAUTHENTICATED',
      'This page is not signed in any more. Open the address that `keepsake panel` printed when it started.',
    );
  }
  const body = (await response.json().catch(() => undefined)) as Partial<ApiError> | undefined;
  const { code = 'INTERNAL', message = `The panel answered with status ${response.status}.` } = body?.error ?? {};
  return new ApiFailure(code, message);
}
