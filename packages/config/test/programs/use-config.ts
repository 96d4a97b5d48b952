// Opens the configuration of its directory and calls its parts. Arguments: the options as JSON, and the names of the parts.
// Prints a line of JSON at the end.
import { openConfig } from '@keepsake/config';

const [options = '{}', ...parts] = process.argv.slice(2);
const results: string[] = [];

function failure(error: unknown): string {
  const { code, message, cause } = error as { code?: string; message: string; cause?: Error };
  return `${code}: ${message}${cause === undefined ? '' : ` (${cause.message})`}`;
}

try {
  const config = await openConfig(JSON.parse(options));
  for (const part of parts as 'memory'[]) {
    await config[part]().then(
      (value) => results.push(value?.constructor.name ?? 'undefined'),
      (error) => results.push(failure(error)),
    );
  }
  await config.close();
  console.log(JSON.stringify({ path: config.path, results }));
} catch (error) {
  console.log(JSON.stringify({ results: [failure(error)] }));
}
