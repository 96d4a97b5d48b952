import { parseArgs } from 'node:util';
import { startBedrock } from './start-bedrock.ts';

/* The emulator as a command: `node src/bedrock/main.ts --port 8080 --pace 2000`. Ends with its process. */

const { values } = parseArgs({ options: { port: { type: 'string' }, pace: { type: 'string' } } });
const emulator = await startBedrock({
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.pace === undefined ? {} : { pace: Number(values.pace) }),
});
const names = ['BEDROCK_AGENT', 'BEDROCK_AGENT_RUNTIME', 'BEDROCK_RUNTIME', 'S3'].map(
  (name) => `AWS_ENDPOINT_URL_${name}=${emulator.url}`,
);
console.log(
  [...names, 'AWS_REGION=us-east-1', 'AWS_ACCESS_KEY_ID=emulator', 'AWS_SECRET_ACCESS_KEY=emulator'].join(' '),
);
