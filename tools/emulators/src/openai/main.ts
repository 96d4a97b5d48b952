import { parseArgs } from 'node:util';
import { startOpenAI } from './start-openai.ts';

/* The emulator as a command: `node src/openai/main.ts --port 8080 --key sk-mine`. Ends with its process. */

const { values } = parseArgs({ options: { port: { type: 'string' }, key: { type: 'string' } } });
const emulator = await startOpenAI({
  ...(values.port === undefined ? {} : { port: Number(values.port) }),
  ...(values.key === undefined ? {} : { apiKey: values.key }),
});
console.log(`OPENAI_BASE_URL=${emulator.baseURL} OPENAI_API_KEY=${emulator.apiKey}`);
