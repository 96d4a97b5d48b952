import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Package } from './packages.ts';

/** A local npm registry that only lists versions. Nothing can be published to it. */
export interface Registry {
  /** Settings that make npm use only this registry. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the packages that it lists to their current versions. */
  add(packages: readonly Package[]): void;
  close(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const versions = new Map<string, string[]>();
  const server = createServer(({ method, url = '' }, response) => {
    const name = decodeURIComponent(url.slice(1));
    const known = method === 'GET' ? versions.get(name) : undefined;
    response.writeHead(known === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known === undefined ? { error: 'Not found' } : packument(name, known)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      npm_config_registry: `http://127.0.0.1:${port}/`,
      npm_config_noproxy: '127.0.0.1',
      npm_config_prefer_online: 'true',
      npm_config_update_notifier: 'false',
    },
    add(packages) {
      for (const { name, manifest } of packages) {
        versions.set(name, [...new Set([...(versions.get(name) ?? []), manifest.version])]);
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function packument(name: string, versions: readonly string[]): object {
  return {
    name,
    'dist-tags': { latest: versions.at(-1) },
    versions: Object.fromEntries(versions.map((version) => [version, { name, version, dist: {} }])),
  };
}
