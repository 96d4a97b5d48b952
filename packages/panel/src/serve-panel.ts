import type { OpenedConfig } from '@keepsake/config';
import { expectFields } from '@keepsake/core/adapter';
import { serve } from '@keepsake/internal/node';
import { LocalAccess } from './access/local-access.ts';
import { createPanel, type PanelOptions } from './create-panel.ts';

/** Options of {@link servePanel}. */
export interface ServePanelOptions extends Pick<PanelOptions, 'readOnly' | 'onError'> {
  /** 0 to 65,535; 0 is any free port. @default 0 */
  readonly port?: number | undefined;
}

/** A running panel. */
export interface PanelServer {
  /** The address for the browser. It contains a secret: whoever has it can use the panel while it runs. */
  readonly url: string;
  /** Stops listening and answers what is in progress. Does not close the configuration. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** A question of 4,000 characters takes up to 36 kB in a URL. */
const MAX_HEADER_BYTES = 65_536;

/**
 * Serves the panel to the browser of this machine's user, on 127.0.0.1 alone. Only a browser that was opened with `url` gets
 * in: its secret becomes a cookie. Other hosts in the `Host` header are refused, so no web page can reach the panel under a
 * name of its own (DNS rebinding).
 *
 * @throws MemoryError `INVALID_ARGUMENT` for unknown or invalid options. Rejects with the system's error if it can't listen.
 *
 * @example
 * const config = await openConfig();
 * const panel = await servePanel(config, { readOnly: true });
 * console.log(panel.url);
 */
export async function servePanel(config: OpenedConfig, options: ServePanelOptions = {}): Promise<PanelServer> {
  const { port = 0, ...rest } = expectFields(options, '', {
    port: [(port) => Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535, 'a port from 0 to 65535'],
    readOnly: 'boolean',
    onError: 'function',
  });
  const panel = createPanel(config, rest);
  const access = new LocalAccess();
  const fetch = async (request: Request) => access.refusal(request) ?? panel.fetch(request);
  const { origin, close } = await serve(fetch, { port, host: HOST, maxHeaderSize: MAX_HEADER_BYTES });
  access.open(new URL(origin).port);
  return { url: `${origin}/?token=${access.token}`, close };
}
