import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import type { Tarball } from './pack.ts';
import type { Manifest, Package } from './packages.ts';

/** A local npm registry of our packages. Nothing can be published to it. */
export interface Registry {
  readonly url: string;
  /** Settings that make npm use only this registry. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Adds the current versions of packages.
   *
   * @param tarballs - By name. Without, the versions are listed, but can't be installed.
   */
  add(packages: readonly Package[], tarballs?: ReadonlyMap<string, Pick<Tarball, 'path'>>): void;
  close(): Promise<void>;
}

/** What the registry knows of a version. */
type Version = Manifest & { readonly dist: object };

/** @param port - By default, a free one. */
export async function startRegistry(port = 0): Promise<Registry> {
  const packuments = new Map<string, Map<string, Version>>();
  const files = new Map<string, Buffer>();
  const server = createServer(({ method, url: path = '' }, response) => {
    const name = decodeURIComponent(path.slice(1));
    const file = method === 'GET' ? files.get(name) : undefined;
    if (file !== undefined) return void response.end(file);
    const versions = method === 'GET' ? packuments.get(name) : undefined;
    response.writeHead(versions === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(versions === undefined ? { error: 'Not found' } : packument(name, versions)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    env: {
      npm_config_registry: url,
      npm_config_noproxy: '127.0.0.1',
      npm_config_prefer_online: 'true',
      npm_config_update_notifier: 'false',
    },
    add(packages, tarballs) {
      for (const { name, manifest } of packages) {
        const path = tarballs?.get(name)?.path;
        const versions = packuments.get(name) ?? new Map<string, Version>();
        packuments.set(
          name,
          versions.set(manifest.version, { ...manifest, dist: path === undefined ? {} : dist(path) }),
        );
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };

  function dist(path: string): object {
    const contents = readFileSync(path);
    const file = `-/${basename(path)}`;
    files.set(file, contents);
    const integrity = `sha512-${createHash('sha512').update(contents).digest('base64')}`;
    return { tarball: `${url}${file}`, integrity };
  }
}

function packument(name: string, versions: ReadonlyMap<string, Version>): object {
  return {
    name,
    'dist-tags': { latest: [...versions.keys()].at(-1) },
    versions: Object.fromEntries(versions),
  };
}
