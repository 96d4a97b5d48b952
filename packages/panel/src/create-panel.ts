import type { OpenedConfig } from '@keepsake/config';
import { isMemoryError } from '@keepsake/core';
import { expect, expectFields } from '@keepsake/core/adapter';
import { Assets } from './assets.ts';
import { answer, failureAnswer, jsonAnswer } from './http/answers.ts';
import { expectCsrfToken, expectOwnPage } from './http/guard.ts';
import { readBody } from './http/read-body.ts';
import { notFound, Refusal } from './http/refusal.ts';
import { newSecret } from './http/secrets.ts';
import { Deletions } from './memory/deletions.ts';
import { MemoryPlaces } from './memory/memory-places.ts';
import { NamespaceTree } from './memory/namespace-tree.ts';
import type { PanelParts } from './panel-parts.ts';
import { CHANGES, READS } from './routes.ts';
import { SessionOwners } from './users/session-owners.ts';

/** Options of {@link createPanel}. */
export interface PanelOptions {
  /** Refuses every request that would change something. @default false */
  readonly readOnly?: boolean | undefined;
  /** Where the panel is in your server: a path that begins and ends with `/`. @default '/' */
  readonly basePath?: string | undefined;
  /**
   * Called with failures that the page is told nothing specific about, such as a mistake in a store's code. Never with what
   * was asked or stored.
   *
   * @default ignored
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A panel as a handler of web requests. */
export interface Panel {
  /** Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
}

/**
 * The panel as a request handler, for a server that you have. It knows no users: **whoever reaches it can read and change
 * everything**, so let only operators through, and check the `Host` header. `servePanel` does both for one person.
 *
 * Refuses requests of other web pages, and changes without a token that only its page can read. You close the configuration.
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown or invalid options.
 *
 * @example
 * const panel = createPanel(await openConfig(), { basePath: '/memory/' });
 * app.all('/memory/*', requireOperator, (context) => panel.fetch(context.req.raw));
 */
export function createPanel(config: OpenedConfig, options: PanelOptions = {}): Panel {
  expect(typeof config?.memory === 'function', 'Pass an opened configuration: createPanel(await openConfig()).');
  const {
    readOnly = false,
    basePath = '/',
    onError,
  } = expectFields(options, '', {
    readOnly: 'boolean',
    basePath: [isBasePath, "a path that begins and ends with '/', encoded as in a URL"],
    onError: 'function',
  });
  const panel = panelParts(config, readOnly);
  const assets = new Assets();
  return {
    async fetch(request) {
      try {
        return await respond(panel, assets, basePath, request);
      } catch (error) {
        if (!(error instanceof Refusal) && !isMemoryError(error)) onError?.(error);
        return failureAnswer(error);
      }
    },
  };
}

/** Whether it is a path that a URL keeps as it is. `//name/` would be another host. */
function isBasePath(path: unknown): boolean {
  return typeof path === 'string' && path.endsWith('/') && URL.parse(path, 'http://localhost')?.pathname === path;
}

function panelParts(config: OpenedConfig, readOnly: boolean): PanelParts {
  const places = new MemoryPlaces(config, readOnly);
  return {
    config,
    readOnly,
    csrfToken: newSecret(),
    places,
    tree: new NamespaceTree(places, () => config.space()),
    sessionOwners: new SessionOwners(config),
    deletions: new Deletions(),
  };
}

async function respond(panel: PanelParts, assets: Assets, basePath: string, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  // Relative addresses of the page need the slash.
  if (`${pathname}/` === basePath) return answer(null, 308, { location: basePath });
  const path = pathname.startsWith(basePath) ? pathname.slice(basePath.length) : undefined;
  const [read, change] = path === undefined ? [] : [READS.get(path), CHANGES.get(path)];
  if (read !== undefined) {
    expectMethod(request, 'GET');
    expectOwnPage(request);
    return asResponse(await read(panel, searchParams));
  }
  if (change !== undefined) {
    expectMethod(request, 'POST');
    expectOwnPage(request);
    if (panel.readOnly) throw new Refusal(403, 'READ_ONLY', 'This panel is read-only. Nothing was changed.');
    expectCsrfToken(request, panel.csrfToken);
    return asResponse(await change(panel, await readBody(request)));
  }
  const asset = path === undefined ? undefined : assets.answer(`/${path}`, request);
  if (asset === undefined) throw notFound('There is nothing here.');
  expectMethod(request, 'GET', 'HEAD');
  return asset;
}

function asResponse(answered: object): Response {
  return answered instanceof Response ? answered : jsonAnswer(answered);
}

function expectMethod({ method }: Request, ...allowed: readonly string[]): void {
  if (allowed.includes(method)) return;
  throw new Refusal(405, 'METHOD_NOT_ALLOWED', `Use ${allowed.join(' or ')}.`);
}
