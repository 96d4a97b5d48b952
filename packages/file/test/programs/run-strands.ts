// Runs a conversation in a separate process. Argument: a ConversationRequest. Prints the model's inputs.
import { type ConversationRequest, converse } from '../converse.ts';

process.stdout.write(JSON.stringify(await converse(JSON.parse(process.argv[2] ?? '') as ConversationRequest)));
