export type { KeepsakePutOptions, KeepsakeReadOptions } from './items/operations.ts';
export { KeepsakeSaver, type KeepsakeSaverOptions } from './keepsake-saver.ts';
export { KeepsakeStore, type KeepsakeStoreOptions } from './keepsake-store.ts';
