export { bundleCode, bundleTypes } from './bundle.ts';
export { readEntries } from './entries.ts';
