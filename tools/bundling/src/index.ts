export { bundleCode } from './bundle-code.ts';
