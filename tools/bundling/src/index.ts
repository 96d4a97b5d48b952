export { bundleCode, bundleTypes } from './bundle.ts';
export type { BuiltFile } from './entries.ts';
