import { parseArgs } from 'node:util';
import { MemoryError, type Namespace, parseNamespace } from '@keepsake/core';
import { expect } from '@keepsake/core/adapter';
import { SEGMENT_TAGS } from '@keepsake/internal';

/** What the command line asks for. */
export interface Arguments {
  readonly config?: string | undefined;
  readonly directory?: string | undefined;
  readonly sqlite?: string | undefined;
  readonly namespace: Namespace;
  readonly readOnly: boolean;
  readonly compat?: 'server-memory' | undefined;
  /** Whether to serve HTTP in place of stdio. */
  readonly http: boolean;
  readonly port: number;
  /** Whether only a text about the program is wanted. */
  readonly print?: 'help' | 'version' | undefined;
}

const DEFAULT_PORT = 8_722;

export const HELP = `Usage: keepsake-mcp [options]

Memory for any MCP client, over stdio or HTTP.

  -c, --config <file>          a configuration, such as keepsake.config.ts
                               (default: the files in .keepsake)
  -d, --directory <directory>  the directory with Keepsake's files, in place of a configuration
  -s, --sqlite <file>          an SQLite file, in place of a configuration
  -n, --namespace <namespace>  the namespace of the memory, such as team:a (default: the root)
  -u, --user <id>              only the memory of this user, below the namespace
      --read-only              offer no tool that writes
      --compat server-memory   offer the tools of the reference memory server
      --http                   serve HTTP on 127.0.0.1, with the bearer token in KEEPSAKE_MCP_TOKEN,
                               or with one that is made and printed
      --port <port>            the port for --http (default: ${DEFAULT_PORT}; 0: any free port)
  -V, --version                show the version
  -h, --help                   show this help
`;

/** @throws MemoryError `INVALID_ARGUMENT` for arguments that are unknown, invalid, or don't go together. */
export function readArguments(args: readonly string[]): Arguments {
  const { config, directory, sqlite, namespace = '', user, compat, port, http = false, ...rest } = parsed(args);
  const places = [config, directory, sqlite].filter((place) => place !== undefined);
  expect(places.length <= 1, 'Pass only one of --config, --directory and --sqlite.');
  expect(!places.includes(''), '--config, --directory and --sqlite must be paths.');
  expect(compat === undefined || compat === 'server-memory', '--compat must be server-memory.');
  expect(port === undefined || http, '--port is only for --http.');
  expect(port === undefined || (/^\d+$/.test(port) && Number(port) <= 65_535), '--port must be from 0 to 65535.');
  expect(user !== '', '--user must be the id of a user.');
  return {
    config,
    directory,
    sqlite,
    // The place of a user is that of `memory.for({ user })` in programs.
    namespace: [...readNamespace(namespace), ...(user === undefined ? [] : [SEGMENT_TAGS.user, user])],
    readOnly: rest['read-only'] ?? false,
    compat,
    http,
    port: port === undefined ? DEFAULT_PORT : Number(port),
    print: rest.help ? 'help' : rest.version ? 'version' : undefined,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        config: { type: 'string', short: 'c' },
        directory: { type: 'string', short: 'd' },
        sqlite: { type: 'string', short: 's' },
        namespace: { type: 'string', short: 'n' },
        user: { type: 'string', short: 'u' },
        'read-only': { type: 'boolean' },
        compat: { type: 'string' },
        http: { type: 'boolean' },
        port: { type: 'string' },
        version: { type: 'boolean', short: 'V' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (cause) {
    throw new MemoryError('INVALID_ARGUMENT', `${(cause as Error).message} See keepsake-mcp --help.`, { cause });
  }
}

function readNamespace(text: string): Namespace {
  try {
    return parseNamespace(text);
  } catch (cause) {
    const message = `--namespace ${JSON.stringify(text)} is invalid: ${(cause as Error).message}`;
    throw new MemoryError('INVALID_ARGUMENT', `${message} Write it as in team:a.`, { cause });
  }
}
