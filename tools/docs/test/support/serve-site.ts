import { once } from 'node:events';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';

/** The path below which the site is served. */
const BASE = '/keepsake/';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
};

/** A server of the built site. */
interface ServedSite extends AsyncDisposable {
  /** Ends with `/`. */
  readonly url: string;
}

/** Serves the built site on a free port of 127.0.0.1, with pages at paths without an extension, as GitHub Pages does. */
export async function serveSite(directory: string): Promise<ServedSite> {
  const server = createServer((request, response) => {
    const file = fileOf(directory, request.url ?? '/');
    if (file === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file).pipe(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${BASE}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The file that is served at an address, if there is one. */
export function fileOf(directory: string, address: string): string | undefined {
  const path = decodeURIComponent(new URL(address, 'http://127.0.0.1').pathname);
  if (!path.startsWith(BASE)) return undefined;
  const file = join(directory, path.slice(BASE.length));
  return [file, `${file}.html`, join(file, 'index.html')].find((each) => existsSync(each) && statSync(each).isFile());
}
