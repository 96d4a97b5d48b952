export { bundle } from './bundle.ts';
export { findBun, findDeno } from './find-programs.ts';
export { type StartedWorker, startWorker } from './start-worker.ts';
