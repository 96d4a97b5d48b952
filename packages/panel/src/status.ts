import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { withoutUndefined } from '@keepsake/internal';
import { readQuery } from './http/fields.ts';
import type { PanelParts } from './panel-parts.ts';
import type { Status } from './protocol.ts';

export async function getStatus(
  { config, places, readOnly, csrfToken }: PanelParts,
  query: URLSearchParams,
): Promise<Status> {
  readQuery(query, {});
  const { configuration, path } = config;
  const { name, description, writable, capabilities } = await places.root();
  const { search, durable, shared, enumerate, filter, history, ttl } = capabilities;
  return {
    name: basename(path),
    version: VERSION,
    readOnly,
    ...(!readOnly && { csrfToken }),
    store: {
      name,
      ...withoutUndefined({ description }),
      writable,
      capabilities: { search, durable, shared, enumerate, filter, history, ttl },
    },
    parts: {
      sessions: configuration.sessions !== undefined,
      agents: Object.keys(configuration.space?.agents ?? {}),
      workspace: configuration.workspace !== undefined,
    },
  };
}

/** The version of this package. */
const VERSION: string = /* @__PURE__ */ readVersion();

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
}
