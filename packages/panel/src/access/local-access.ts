import { answer, failureAnswer, textAnswer } from '../http/answers.ts';
import { Refusal } from '../http/refusal.ts';
import { isSameSecret, newSecret } from '../http/secrets.ts';

const NAMES = ['127.0.0.1', 'localhost'];

/** Lets in the browsers that were opened with the secret of this run, on this machine's own names. */
export class LocalAccess {
  /** The secret in the URL. */
  readonly token: string = newSecret();
  /** The secret in the cookie. It is another, because the token may stay in a history. */
  readonly #cookie = newSecret();
  #port = '';

  /** Sets the port that the server listens on. Nobody gets in before. */
  open(port: string): void {
    this.#port = port;
  }

  /** What to answer to a request that gets no further; `undefined` if it may. */
  refusal(request: Request): Response | undefined {
    const host = request.headers.get('host') ?? '';
    if (!NAMES.some((name) => host === `${name}:${this.#port}`)) {
      return failureAnswer(new Refusal(403, 'FORBIDDEN', 'The panel is at 127.0.0.1. Other hosts are refused.'));
    }
    const { pathname, searchParams } = new URL(request.url);
    if (isSameSecret(this.#cookieOf(request), this.#cookie)) {
      return pathname === '/' && searchParams.has('token') ? enter({}) : undefined;
    }
    if (pathname === '/' && request.method === 'GET' && isSameSecret(searchParams.get('token') ?? '', this.token)) {
      return enter({ 'set-cookie': `${this.#cookieName}=${this.#cookie}; Path=/; HttpOnly; SameSite=Strict` });
    }
    const message = 'Open the panel with the whole address that keepsake panel printed, with its token.';
    if (pathname.startsWith('/api/')) return failureAnswer(new Refusal(401, 'UNAUTHENTICATED', message));
    return textAnswer(`${message}\n`, 401);
  }

  #cookieOf(request: Request): string {
    const cookies = request.headers.get('cookie')?.split(';') ?? [];
    const prefix = `${this.#cookieName}=`;
    return (
      cookies
        .map((cookie) => cookie.trim())
        .find((cookie) => cookie.startsWith(prefix))
        ?.slice(prefix.length) ?? ''
    );
  }

  /** Cookies of a host are the same on all ports, and there may be several panels. */
  get #cookieName(): string {
    return `keepsake-panel-${this.#port}`;
  }
}

/**
 * Goes on to the page without the token in its address. As a page and not as a redirect: after a link from another site,
 * the browser would follow a redirect without the strict cookie.
 */
function enter(headers: Readonly<Record<string, string>>): Response {
  const html =
    '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=./"><title>Keepsake</title>';
  return answer(html, 200, { 'content-type': 'text/html; charset=utf-8', ...headers });
}
