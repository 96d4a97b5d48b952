// Erases Alice in a separate process, with what all packages stored. Arguments: backend, address of the place, the directory of the workspaces, and the number of the removal during which it kills itself.
import { openWorld } from '../sentinels/world.ts';
import { dyingAt } from './dying.ts';
import { openPlace } from './open-place.ts';

const [backend = '', address = '', directory = '', killedAt = '0'] = process.argv.slice(2);
const { store, sessions, close } = openPlace(backend, address);
const dying = dyingAt(Number(killedAt));
const { space } = openWorld(dying(store), dying(sessions), directory);
await space.eraseUser('alice', { sharedEntries: true });
close();
