import { CSRF_HEADER } from '../protocol.ts';
import { Refusal } from './refusal.ts';
import { isSameSecret } from './secrets.ts';

/**
 * Refuses requests that another web page makes in the browser of a user. Such a page can't read the answer either way, but
 * must not learn how long it took, and must change nothing.
 */
export function expectOwnPage(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  // `none` is the address bar.
  if (site !== null && site !== 'same-origin' && site !== 'none') throw foreign();
  const origin = request.headers.get('origin');
  if (origin !== null && !isOwnOrigin(origin, request)) throw foreign();
}

/** Refuses changes without the token that only the own page can read. */
export function expectCsrfToken(request: Request, token: string): void {
  if (isSameSecret(request.headers.get(CSRF_HEADER) ?? '', token)) return;
  throw new Refusal(403, 'FORBIDDEN', 'The page is out of date. Reload it, and try again.');
}

/**
 * Compares hosts only, because a proxy in front may be what speaks HTTPS. The host of the URL counts only without a `Host`
 * header, because servers that have the header may make up the URL.
 */
function isOwnOrigin(origin: string, request: Request): boolean {
  return URL.parse(origin)?.host === (request.headers.get('host') ?? new URL(request.url).host);
}

function foreign(): Refusal {
  return new Refusal(403, 'FORBIDDEN', 'Only the page of this panel may ask. Open the panel itself.');
}
