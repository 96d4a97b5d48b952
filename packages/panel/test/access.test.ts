import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { OpenedConfig } from '@keepsake/config';
import { InMemoryStore } from '@keepsake/in-memory';
import { putTimes } from '@keepsake/testing/put-times';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPanel, servePanel } from '../src/index.ts';
import { CSRF_HEADER, LIMITS, PATHS, type Status } from '../src/protocol.ts';

const configOf = (store = new InMemoryStore({ name: 'memory' })) =>
  new OpenedConfig({ memory: () => store }, { path: 'the test' });

/** A panel that is served, and the cookie of a browser that was let in. */
async function serve() {
  const store = new InMemoryStore({ name: 'memory' });
  await store.put({ id: 'r1', content: 'secret of alice' });
  const server = await servePanel(configOf(store));
  onTestFinished(() => server.close());
  const { origin, port } = new URL(server.url);
  const entered = await fetch(server.url);
  const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
  const status = (await (await fetch(`${origin}/${PATHS.status}`, { headers: { cookie } })).json()) as Status;
  const csrf = { [CSRF_HEADER]: status.csrfToken as string };
  return { store, url: server.url, origin, port, cookie, csrf, entered };
}

/** The status of a request that `fetch` would not send, because it sets these headers itself. */
async function rawStatus(origin: string, path: string, headers: Record<string, string>, method = 'GET', body = '') {
  const { port } = new URL(origin);
  const request = httpRequest({ host: '127.0.0.1', port, path, method, headers, setHost: false });
  request.end(body);
  const [response] = await once(request, 'response');
  response.resume();
  return response.statusCode as number;
}

describe('a served panel', () => {
  it('lets in the browser with the secret of the address, which becomes a strict cookie', async () => {
    const { origin, cookie, entered, url } = await serve();
    expect(entered.headers.get('set-cookie')).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(await entered.text()).toContain('url=./');
    const page = await fetch(origin, { headers: { cookie } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('app.js');
    const etag = page.headers.get('etag') ?? '';
    expect((await fetch(origin, { headers: { cookie, 'if-none-match': etag } })).status).toBe(304);
    expect(cookie).not.toContain(new URL(url).searchParams.get('token'));
  });

  it.each(['/', '/app.js', `/${PATHS.status}`, `/${PATHS.records}`, '/?token=guess', '/api/none'])(
    'refuses %s without the cookie',
    async (path) => {
      const { origin, port } = await serve();
      for (const cookie of ['', `keepsake-panel-${port}=guess`, 'keepsake-panel-1=x']) {
        const answer = await fetch(`${origin}${path}`, { headers: { cookie } });
        expect(answer.status).toBe(401);
        expect(await answer.text()).not.toContain('alice');
      }
    },
  );

  it.each(['evil.example', 'evil.example:80', '127.0.0.1', '127.0.0.1.evil.example', 'localhost:1', ''])(
    'refuses the Host %j, as after DNS rebinding, even with the cookie',
    async (host) => {
      const { origin, cookie, url } = await serve();
      expect(await rawStatus(origin, `/${PATHS.records}`, { host, cookie })).toBe(403);
      expect(await rawStatus(origin, `/${new URL(url).search}`, { host })).toBe(403);
    },
  );

  it('answers on localhost, too', async () => {
    const { origin, cookie, port } = await serve();
    expect(await rawStatus(origin, `/${PATHS.status}`, { host: `localhost:${port}`, cookie })).toBe(200);
  });

  it('refuses changes of other pages: forms, foreign origins, and no token', async () => {
    const { store, origin, cookie, csrf, port } = await serve();
    const body = JSON.stringify({ id: 'r1', ifVersion: (await store.get('r1'))?.version });
    const path = `/${PATHS.deleteRecord}`;
    const json = { 'content-type': 'application/json' };
    const own = { host: `127.0.0.1:${port}`, cookie };
    const attempts: readonly (readonly [number, Record<string, string>])[] = [
      [403, { ...own, ...json }],
      [403, { ...own, ...json, [CSRF_HEADER]: 'guess' }],
      [403, { ...own, ...json, ...csrf, origin: 'https://evil.example' }],
      [403, { ...own, ...json, ...csrf, origin: 'null' }],
      [403, { ...own, ...json, ...csrf, origin: `http://127.0.0.1:${Number(port) + 1}` }],
      [403, { ...own, ...json, ...csrf, origin: 'http://localhost' }],
      [403, { ...own, ...json, ...csrf, origin: 'http://127.0.0.1' }],
      [403, { ...own, ...json, ...csrf, 'sec-fetch-site': 'cross-site' }],
      [403, { ...own, ...json, ...csrf, 'sec-fetch-site': 'same-site' }],
      [400, { ...own, ...csrf, 'content-type': 'text/plain' }],
      [400, { ...own, ...csrf, 'content-type': 'application/x-www-form-urlencoded' }],
      [401, { ...json, ...csrf, host: `127.0.0.1:${port}` }],
    ];
    for (const [status, headers] of attempts) {
      expect([await rawStatus(origin, path, headers, 'POST', body), headers]).toEqual([status, headers]);
    }
    expect(await store.get('r1')).toBeDefined();
    expect(await rawStatus(origin, path, { ...own, ...json, ...csrf, origin }, 'POST', body)).toBe(200);
    expect(await store.get('r1')).toBeUndefined();
  });

  it('refuses reads of other pages', async () => {
    const { origin, cookie } = await serve();
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'http://localhost' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      expect((await fetch(`${origin}/${PATHS.exportUser}?id=alice`, { headers: { cookie, ...headers } })).status).toBe(
        403,
      );
    }
  });

  it('serves only its own files', async () => {
    const { origin, cookie, port } = await serve();
    const own = { host: `127.0.0.1:${port}`, cookie };
    for (const path of [
      '/../package.json',
      '/..%2fpackage.json',
      '/%2e%2e/%2e%2e/package.json',
      '/app.js/../../../package.json',
      '/..\\package.json',
      '//etc/passwd',
      '/etc/passwd',
      '/index.html',
      '/app.js.map',
      '/__proto__',
      '/api/../package.json',
      '/api/__proto__',
      '/api/toString',
    ]) {
      expect([path, await rawStatus(origin, path, own)]).toEqual([path, 404]);
    }
  });

  it('answers every request with headers against frames, sniffing and scripts', async () => {
    const { origin, cookie } = await serve();
    const paths = ['/', '/app.js', '/app.css', '/none', `/${PATHS.status}`, `/${PATHS.record}`];
    for (const [path, headers] of paths.flatMap((path) => [[path, { cookie }] as const, [path, {}] as const])) {
      const answer = await fetch(`${origin}${path}`, { headers });
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).not.toContain('unsafe');
      expect(answer.headers.get('x-frame-options')).toBe('DENY');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const preflight = await fetch(`${origin}/${PATHS.deleteRecord}`, { method: 'OPTIONS', headers: { cookie } });
    expect(preflight.status).toBe(405);
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('refuses a body over the limit, whatever its length claims', async () => {
    const { store, origin, cookie, csrf } = await serve();
    const headers = { cookie, ...csrf, 'content-type': 'application/json' };
    const body = new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < LIMITS.bodyBytes + 100_000; sent += 65_536)
          controller.enqueue(new Uint8Array(65_536).fill(32));
        controller.close();
      },
    });
    const init = { method: 'POST', headers, body, duplex: 'half' as const };
    const answer = await fetch(`${origin}/${PATHS.editRecord}`, init).catch((error: unknown) => error);
    // The server may answer and close before the client has sent everything.
    if (answer instanceof Response) expect(answer.status).toBe(413);
    expect(await store.get('r1')).toMatchObject({ version: putTimes(1) });
  });
});

describe('a mounted panel', () => {
  it('answers below its path only, and compares Origin with its host', async () => {
    const panel = createPanel(configOf(), { basePath: '/memory/' });
    const get = (path: string, headers: Record<string, string> = {}) =>
      panel.fetch(new Request(`https://own.example${path}`, { headers }));
    expect((await get('/memory/api/status')).status).toBe(200);
    expect((await get('/memory/')).status).toBe(200);
    expect((await get('/memory')).headers.get('location')).toBe('/memory/');
    expect((await get('/api/status')).status).toBe(404);
    expect((await get('/')).status).toBe(404);
    expect((await get('/memory/api/status', { origin: 'https://own.example' })).status).toBe(200);
    expect((await get('/memory/api/status', { origin: 'https://evil.example' })).status).toBe(403);
  });

  it('refuses unknown options, and what is no configuration', () => {
    expect(() => createPanel(configOf(), { readonly: true } as never)).toThrow(/readOnly/);
    for (const basePath of [
      'memory',
      '/memory',
      '//evil.example/',
      '/\\evil.example/',
      '/../',
      '/a b/',
      '/?a/',
      '/#/',
    ]) {
      expect(() => createPanel(configOf(), { basePath }), basePath).toThrow(/basePath/);
    }
    expect(createPanel(configOf(), { basePath: '/a%20b/c/' })).toBeDefined();
    expect(() => createPanel({} as never)).toThrow(/openConfig/);
  });

  it('answers mistakes of a store without their text, and reports them', async () => {
    const store = new InMemoryStore({ name: 'memory' });
    const mistake = new TypeError('secret of alice');
    Object.defineProperty(store, 'list', { value: () => Promise.reject(mistake) });
    Object.defineProperty(store, 'within', { value: () => store });
    const errors: unknown[] = [];
    const panel = createPanel(configOf(store), { onError: (error) => errors.push(error) });
    const answer = await panel.fetch(new Request(`http://localhost/${PATHS.records}`));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('alice');
    expect(errors).toEqual([mistake]);
  });
});
