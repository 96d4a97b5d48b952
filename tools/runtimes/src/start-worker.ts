import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installApart } from '@keepsake/testing/install-apart';
import { bundle } from './bundle.ts';

/** A Worker of Cloudflare in `workerd`, their server. */
export interface StartedWorker {
  fetch(url: string, request?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/** What is used of miniflare, which runs `workerd`. */
interface Miniflare {
  dispatchFetch(url: string, request?: RequestInit): Promise<Response>;
  dispose(): Promise<void>;
}

/**
 * Starts a Worker from a TypeScript file that exports its handler and the classes of its Durable Objects.
 *
 * @param objects - The binding and the class of each kind of Durable Object.
 * @param flags - `nodejs_compat` for modules of Node.js. Without it, there are none.
 */
export async function startWorker(
  path: string,
  objects: Readonly<Record<string, string>>,
  flags: readonly 'nodejs_compat'[] = [],
): Promise<StartedWorker> {
  const modules = await installApart(join(import.meta.dirname, '../workers'));
  const { Miniflare } = createRequire(join(modules, 'x.js'))('miniflare') as {
    Miniflare: new (options: object) => Miniflare;
  };
  const durableObjects = Object.fromEntries(
    Object.entries(objects).map(([binding, className]) => [binding, { className, useSQLite: true }]),
  );
  const worker = new Miniflare({
    modules: true,
    script: await bundle(path),
    compatibilityDate: '2026-05-01',
    compatibilityFlags: flags,
    durableObjects,
    // Otherwise miniflare asks Cloudflare for what a request from here looks like.
    cf: false,
  });
  return {
    fetch: (url, request) => worker.dispatchFetch(url, request),
    stop: () => worker.dispose(),
  };
}
