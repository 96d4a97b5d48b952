export { compileSnippets } from './compile-snippets.ts';
export { findSnippets } from './find-snippets.ts';
