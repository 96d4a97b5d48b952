import { InMemoryStore } from '@keepsake/in-memory';
import { refusesUnknownOptions, useDirectory } from '@keepsake/testing';
import { localDirectory, recordWorkspace, WorkspaceMemory } from '../src/index.ts';

const workspace = recordWorkspace(new InMemoryStore({ name: 'files' }));
const directory = useDirectory();
const local = () => localDirectory(directory.path);
const model = { generate: async () => ({ text: '' }) };
const memory = new WorkspaceMemory({ workspace, model });
const run = memory.run();
const segment = { input: 'Hi', generatedItems: [], terminal: { state: 'completed', hasFinalOutput: true } };

refusesUnknownOptions([
  ['new WorkspaceMemory', (options) => new WorkspaceMemory(options), { workspace, model, layouts: {} }, 'layout'],
  ['layout', (layout) => new WorkspaceMemory({ workspace, model, layout }), { sessionDir: 'a' }, 'sessionsDir'],
  ['read', (read) => new WorkspaceMemory({ workspace, model, read }), { liveupdate: false }, 'liveUpdate'],
  ['generate', (generate) => new WorkspaceMemory({ workspace, model, generate }), { maxToken: 1 }, 'maxTokens'],
  ['WorkspaceMemory.run', (names) => memory.run(names), { sessionID: 'a' }, 'sessionId'],
  ['Run.append', (given) => run.append(given), { ...segment, finaloutput: 'Hi' }, 'finalOutput'],
  ['WorkspaceMemory.read', (options) => memory.read(options), { rolloutID: 'a' }, 'rolloutId'],
  ['WorkspaceMemory.tools', (options) => memory.tools(options), { rolloutID: 'a' }, 'rolloutId'],
  ['WorkspaceMemory.generate', (options) => memory.generate(options), { onprogress: () => {} }, 'onProgress'],
  ['WorkspaceMemory.close', (options) => memory.close(options), { Signal: null }, 'signal'],
  ['recordWorkspace().write', (options) => workspace.write('a.md', 'x', options), { ifversion: null }, 'ifVersion'],
  ['recordWorkspace().delete', (options) => workspace.delete('a.md', options), { ifversion: '1' }, 'ifVersion'],
  ['localDirectory().write', (options) => local().write('a.md', 'x', options), { ifversion: null }, 'ifVersion'],
  ['localDirectory().delete', (options) => local().delete('a.md', options), { ifversion: '1' }, 'ifVersion'],
]);
