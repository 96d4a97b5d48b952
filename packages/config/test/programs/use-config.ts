// Opens configurations and calls their parts. Argument: a list of directories, options and names of parts, as JSON. Prints a line
// of JSON at the end.
import { openConfig } from '@keepsake/config';

const outcomes: object[] = [];

function failure(error: unknown): string {
  const { code, message, cause } = error as { code?: string; message: string; cause?: Error };
  return `${code}: ${message}${cause === undefined ? '' : ` (${cause.message})`}`;
}

for (const { cwd, options, parts } of JSON.parse(process.argv[2] ?? '[]')) {
  process.chdir(cwd);
  const results: string[] = [];
  try {
    const config = await openConfig(options);
    for (const part of parts as 'memory'[]) {
      await config[part]().then(
        (value) => results.push(value?.constructor.name ?? 'undefined'),
        (error) => results.push(failure(error)),
      );
    }
    await config.close();
    outcomes.push({ path: config.path, results });
  } catch (error) {
    outcomes.push({ results: [failure(error)] });
  }
}
console.log(JSON.stringify(outcomes));
