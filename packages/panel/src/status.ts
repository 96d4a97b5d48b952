import { basename } from 'node:path';
import { withoutUndefined } from '@keepsake/internal';
import { readQuery } from './http/fields.ts';
import type { PanelParts } from './panel-parts.ts';
import type { Status } from './protocol.ts';
import { VERSION } from './version.ts';

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
