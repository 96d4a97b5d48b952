export { digest } from './node/digest.ts';
export { freeName, heldName, holderIn, isMissing, tryRename } from './node/lock-name.ts';
export { hasEnded, type ProcessIdentity, THIS_PROCESS, UNKNOWN_START } from './node/process-identity.ts';
export { serve } from './node/serve.ts';
export { syncFolder } from './node/sync-folder.ts';
export { untilStopped } from './node/until-stopped.ts';
