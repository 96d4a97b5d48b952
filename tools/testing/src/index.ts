export { expectExampleToRemember } from './expect-example-to-remember.ts';
export { losesAnswer } from './loses-answer.ts';
export { inOtherProcesses, OtherProcess } from './other-process.ts';
export { type ReadOnceCase, readsValuesOnce } from './reads-values-once.ts';
export { type MisspeltOption, refusesUnknownOptions } from './refuses-unknown-options.ts';
export { runProgram } from './run-program.ts';
export { startProgram } from './start-program.ts';
export { talk } from './talk.ts';
export { useDirectory } from './use-directory.ts';
