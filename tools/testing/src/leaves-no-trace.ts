import { afterAll, expect, vi } from 'vitest';

/** The Claude Agent SDK sets it when it is loaded. */
const OF_LIBRARIES = ['NoDefaultCurrentDirectoryInExePath'];

// Test files share their worker: what one leaves would be the surroundings of the next, in an order that nobody chose.
const environment = { ...process.env };
const before = globalState();
afterAll(() => {
  const message = 'The file must leave global state as it found it';
  expect(globalState(), message).toEqual(before);
  // Without their values, which may be secret.
  expect(changedVariables(), message).toEqual([]);
});

function globalState() {
  const { log, warn, error } = console;
  const { exit, emitWarning, stdout, stderr } = process;
  return {
    directory: process.cwd(),
    hasFakeTimers: vi.isFakeTimers(),
    functions: { log, warn, error, exit, emitWarning, fetch, now: Date.now, random: Math.random },
    writers: { stdout: stdout.write, stderr: stderr.write },
  };
}

function changedVariables(): string[] {
  const names = new Set([...Object.keys(environment), ...Object.keys(process.env)]);
  return [...names].filter((name) => process.env[name] !== environment[name] && !OF_LIBRARIES.includes(name));
}
