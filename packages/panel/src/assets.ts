import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { MemoryError } from '@keepsake/core';
import { answer } from './http/answers.ts';

/** The files of the page, by their paths: nothing else is ever read for a request. */
const FILES = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/app.js': { file: 'app.js', type: 'text/javascript; charset=utf-8' },
  '/app.css': { file: 'app.css', type: 'text/css; charset=utf-8' },
} as const;

/** Where Vite puts the page. The bundle and the sources are as deep. */
const FOLDER = '../app/dist/';

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
    const knownAsset = this.#read.get(path);
    if (knownAsset !== undefined) return knownAsset;
    const bytes = readAsset(path);
    const asset = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
    this.#read.set(path, asset);
    return asset;
  }
}

function readAsset(path: AssetPath): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(new URL(FOLDER + FILES[path].file, import.meta.url)));
  } catch (cause) {
    const message = 'The page of the panel is not built. In the repository, run npm run build:app in packages/panel.';
    throw new MemoryError('BACKEND', message, { cause });
  }
}
