import { setTracingDisabled } from '@openai/agents';
import { resumed } from '../clerk.ts';

/* Approves and resumes an interrupted run of another process, and prints its final output. */

const [baseURL = '', apiKey = '', conversationId = '', interrupted = ''] = process.argv.slice(2);
setTracingDisabled(true);
console.log(await resumed(baseURL, apiKey, conversationId, interrupted));
