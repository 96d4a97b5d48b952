import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { PostgresClient } from './client.ts';
import { setup } from './setup.ts';

const help = `Usage: npx keepsake-postgres migrate [options]

Creates Keepsake's tables and functions, unless they are there. Uses pg or postgres, whichever your project has.

  --url URL       the database (default: the environment variable DATABASE_URL)
  --schema NAME   the schema for the tables, created if it is missing (default: the first on the search_path)
  -h, --help      show this help`;

/** What a run of the program prints, and its exit code. */
interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program `keepsake-postgres` in the project at `cwd`. */
export async function run(args: readonly string[], cwd: string, databaseUrl?: string): Promise<Ended> {
  let options: ReturnType<typeof read>;
  try {
    options = read(args);
  } catch (error) {
    return { status: 2, stdout: '', stderr: `${(error as Error).message}\n\n${help}\n` };
  }
  if (options.help) return { status: 0, stdout: `${help}\n`, stderr: '' };
  const { url = databaseUrl, schema } = options;
  try {
    if (!url) throw new Error('Pass --url, or set DATABASE_URL.');
    const { client, close } = await connect(cwd, url);
    try {
      await setup(client, { schema });
    } finally {
      await close();
    }
    return { status: 0, stdout: "Keepsake's tables are up to date.\n", stderr: '' };
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message !== '' ? ` Cause: ${cause.message}` : '';
    return { status: 1, stdout: '', stderr: `${message}${reason}\n` };
  }
}

function read(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { url: { type: 'string' }, schema: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  if (!values.help && positionals.join(' ') !== 'migrate') throw new Error('The only command is migrate.');
  return values;
}

interface Opened {
  readonly client: PostgresClient;
  close(): Promise<unknown>;
}

/** Connects with a driver of the project. */
async function connect(cwd: string, url: string): Promise<Opened> {
  const { resolve } = createRequire(join(cwd, 'package.json'));
  for (const name of ['pg', 'postgres'] as const) {
    let path: string;
    try {
      path = resolve(name);
    } catch {
      continue;
    }
    const { default: driver } = await import(pathToFileURL(path).href);
    if (name === 'pg') {
      const pool = new driver.Pool({ connectionString: url, max: 1 });
      // Without a listener, the process ends when the server closes an idle connection.
      pool.on('error', () => {});
      return { client: pool, close: () => pool.end() };
    }
    const sql = driver(url, { max: 1, onnotice() {} });
    return { client: sql, close: () => sql.end({ timeout: 1 }) };
  }
  throw new Error('Install pg or postgres in your project first.');
}
