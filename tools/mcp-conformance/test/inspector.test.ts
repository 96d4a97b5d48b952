// @module-tag nightly: installs the official suite.

import { join } from 'node:path';
import { useDirectory } from '@keepsake/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { installOfficial, runOfficial } from '../src/official.ts';
import { serveOverHttp, stdioCommand } from '../src/serve-memory.ts';

const directory = useDirectory();
let inspector: string;
beforeAll(async () => {
  inspector = join(await installOfficial(), 'inspector/clients/launcher/build/index.js');
}, 300_000);

const inspect = async (...args: string[]) =>
  JSON.parse(await runOfficial(inspector, ['--cli', ...args], directory.path));

describe('the inspector', () => {
  it.each(['stdio', 'HTTP'])(
    'lists and calls tools over %s, and finds no fault in their schemas',
    async (transport) => {
      const server = transport === 'HTTP' ? await serveOverHttp() : undefined;
      const target = server === undefined ? stdioCommand(directory.path) : [server.url];
      const { tools } = await inspect(...target, '--method', 'tools/list', '--strict');
      expect(tools).toHaveLength(7);
      const remember = ['--method', 'tools/call', '--tool-name', 'remember', '--tool-arg', 'content=Alice likes tea.'];
      expect(await inspect(...target, ...remember)).toMatchObject({ structuredContent: { isNew: true } });
      await server?.close();
    },
  );
});
