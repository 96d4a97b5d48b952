// Continues the session of a Strands agent in a separate process. Arguments: the address of the store as JSON, the user's
// message and the model's answer. Prints the outcome.
import { openAt } from '../support/backends.ts';
import { continueSession } from '../support/continue-session.ts';

const [address = '', says = '', answer = ''] = process.argv.slice(2);
const { store, close } = openAt(JSON.parse(address));
process.stdout.write(JSON.stringify(await continueSession(store, says, answer)));
await close();
