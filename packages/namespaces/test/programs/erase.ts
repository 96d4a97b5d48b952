// Erases a user in a separate process. Arguments: backend, address of the place, user, and the number of the removal during which it kills itself. Without that number, it runs to the end and prints the receipt.
import { MemorySpace } from '../../src/index.ts';
import { dyingAt } from './dying.ts';
import { openPlace } from './open-place.ts';

const [backend = '', address = '', id = '', killedAt = '0'] = process.argv.slice(2);
const { store, sessions, close } = openPlace(backend, address);
const dying = dyingAt(Number(killedAt));

const space = new MemorySpace({ store: dying(store), sessions: dying(sessions), agents: { bot: {} } });
const receipt = await space.eraseUser({ id }, { sharedEntries: true });
process.stdout.write(JSON.stringify(receipt));
close();
