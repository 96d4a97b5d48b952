import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { MemoryError } from '@keepsake/core';
import { answer } from './http/answers.ts';

/** The files of the page, by their paths: nothing else is ever read for a request. */
const FILES = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { file: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { file: 'app.css', type: 'text/css; charset=utf-8' },
} as const;

/** Beside the bundle in the published package, or in the repository where Vite puts it. */
const FOLDERS = ['./app/', '../app/dist/'];

type AssetPath = keyof typeof FILES;

/** The page of the panel. */
export class Assets {
  readonly #read = new Map<AssetPath, { readonly bytes: Uint8Array<ArrayBuffer>; readonly etag: string }>();

  /** The answer to a request for a file of the page; `undefined` if the page has no such file. */
  answer(path: string, request: Request): Response | undefined {
    if (!Object.hasOwn(FILES, path)) return undefined;
    const { bytes, etag } = this.#asset(path as AssetPath);
    const headers = { 'content-type': FILES[path as AssetPath].type, 'cache-control': 'no-cache', etag };
    if (request.headers.get('if-none-match') === etag) return answer(null, 304, headers);
    return answer(request.method === 'HEAD' ? null : bytes, 200, headers);
  }

  #asset(path: AssetPath) {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(readFileSync(new URL(FILES[path].file, appFolder())));
    const asset = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
    this.#read.set(path, asset);
    return asset;
  }
}

function appFolder(): URL {
  const found = FOLDERS.map((folder) => new URL(folder, import.meta.url)).find((url) => {
    return existsSync(new URL(FILES['/'].file, url));
  });
  if (found !== undefined) return found;
  throw new MemoryError('BACKEND', 'The page of the panel is not built. In the repository, run npm run build:app.');
}
