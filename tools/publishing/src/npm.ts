import { type RunOptions, run } from './run.ts';

const UNREACHABLE = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/;

/**
 * Runs npm, and returns what it wrote.
 *
 * @throws Error that says so in its first line, when npm could not reach its registry.
 */
export async function npm(args: readonly string[], options: RunOptions): Promise<string> {
  try {
    return await run('npm', [...args, '--loglevel=error'], options);
  } catch (error) {
    if (!(error instanceof Error) || !UNREACHABLE.test(error.message)) throw error;
    throw new Error(
      `npm can't reach its registry, which this needs for packages that are not of this repository: check the network and \`npm config get registry\`.\n${error.message}`,
      { cause: error },
    );
  }
}

/** npm's reports about tarballs: a list, one report, or reports by name, as the version of npm has it. */
export function parseReports<Report>(json: string): Report[] {
  const parsed = JSON.parse(json);
  return Array.isArray(parsed) ? parsed : 'filename' in parsed ? [parsed] : Object.values(parsed);
}
