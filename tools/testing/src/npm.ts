import { type RunOptions, run } from './run.ts';

const UNREACHABLE = /\b(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/;

/**
 * Runs npm and returns its output.
 *
 * @throws Error if npm could not reach its registry, which the first line of the message says.
 */
export async function npm(args: readonly string[], options: RunOptions): Promise<string> {
  try {
    return await run('npm', [...args, '--loglevel=error'], options);
  } catch (error) {
    if (!(error instanceof Error) || !UNREACHABLE.test(error.message)) throw error;
    throw new Error(
      `npm can't reach its registry, which is needed for packages from outside this repository. Check the network and \`npm config get registry\`.\n${error.message}`,
      { cause: error },
    );
  }
}

/** npm's reports about tarballs: a list, one report, or reports by name, depending on the version of npm. */
export function parseReports<Report>(json: string): Report[] {
  const parsed = JSON.parse(json);
  return Array.isArray(parsed) ? parsed : 'filename' in parsed ? [parsed] : Object.values(parsed);
}
