export { digest } from './node/digest.ts';
export { closeServer, listen } from './node/listen.ts';
export { freeName, heldName, holderIn, isMissing, tryRename } from './node/lock-name.ts';
export { hasEnded, type ProcessIdentity, THIS_PROCESS, UNKNOWN_START } from './node/process-identity.ts';
export { serveFetch } from './node/serve-fetch.ts';
export { syncFolder } from './node/sync-folder.ts';
export { Turns } from './node/turns.ts';
export { untilStopped } from './node/until-stopped.ts';
