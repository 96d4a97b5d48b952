export { expectExampleToRemember } from './expect-example-to-remember.ts';
export { runProgram } from './run-program.ts';
export { talk } from './talk.ts';
export { useDirectory } from './use-directory.ts';
