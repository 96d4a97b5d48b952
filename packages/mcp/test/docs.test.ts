import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readArguments } from '../src/cli/arguments.ts';

const ROOT = join(import.meta.dirname, '../../..');

it.each(['docs/mcp.md', 'docs/mcp-clients.md', 'packages/mcp/README.md'])(
  'the configurations of clients in %s are valid',
  (path) => {
    const page = readFileSync(join(ROOT, path), 'utf8');
    const blocks = [...page.matchAll(/```(json|toml)\n(.*?)```/gs)].map(([, language, text]) => ({ language, text }));
    expect(blocks.length).toBeGreaterThan(0);
    for (const { language, text = '' } of blocks) {
      const { command, args } = language === 'json' ? serverIn(text) : tomlIn(text);
      expect([command, ...args.slice(0, 2)]).toEqual(['npx', '-y', '@keepsake/mcp']);
      expect(readArguments(args.slice(2)).directory).toMatch(/\.keepsake$/);
    }
  },
);

interface Server {
  readonly command: string;
  readonly args: readonly string[];
}

function serverIn(json: string): Server {
  const { mcpServers, servers = mcpServers } = JSON.parse(json);
  return servers.memory;
}

/** Reads the two lines of the table. Their values are JSON, too. */
function tomlIn(text: string): Server {
  const [, command = '', args = ''] = /^command = (.*)\nargs = (.*)$/m.exec(text) ?? [];
  return { command: JSON.parse(command), args: JSON.parse(args) };
}
