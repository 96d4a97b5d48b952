// Runs an agent in a separate process. Argument: a RunRequest. Prints a RunReport.
import { type RunRequest, runAgent } from '../agent-run.ts';

process.stdout.write(JSON.stringify(await runAgent(JSON.parse(process.argv[2] ?? '') as RunRequest)));
