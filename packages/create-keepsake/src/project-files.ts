import { readFileSync } from 'node:fs';
import { BACKENDS, type Backend, FRAMEWORKS, type Framework } from './choices.ts';
import { rangeOf } from './manifest.ts';

export interface Project {
  /** The name in package.json. */
  readonly name: string;
  readonly framework: Framework;
  readonly backend: Backend;
}

/** The contents of a project, by path. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  const { framework, backend } = project;
  const sources = new Map([
    ['src/server.ts', template('server.ts')],
    ['src/turn.ts', template('turn.ts')],
    ['src/preview.ts', template('preview.ts')],
    ['src/agent.ts', template(`frameworks/${framework}.ts`)],
    ['src/storage.ts', template(`backends/${backend}.ts`)],
  ]);
  return new Map([
    ...sources,
    ['package.json', json(manifest(project, [...sources.values()]))],
    ['tsconfig.json', json(TSCONFIG)],
    ['.env.example', FRAMEWORKS[framework].environment + BACKENDS[backend].environment],
    ['.gitignore', 'node_modules/\n.env\n.keepsake/\nmemory.db*\n'],
    ['README.md', readme(project)],
  ]);
}

function template(path: string): string {
  return readFileSync(new URL(`../templates/${path}`, import.meta.url), 'utf8');
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const START = 'node --env-file-if-exists=.env src/server.ts';

function manifest({ name }: Project, sources: readonly string[]): object {
  const used = new Set(sources.flatMap(packagesIn));
  const types = used.has('pg') ? ['@types/pg'] : [];
  return {
    name,
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: START,
      dev: 'node --watch --env-file-if-exists=.env src/server.ts',
      typecheck: 'tsc',
    },
    dependencies: ranges(used),
    devDependencies: ranges(['@types/node', ...types, 'typescript']),
  };
}

/** The packages that a source imports. */
function packagesIn(source: string): string[] {
  return [...source.matchAll(/ from '(?!node:|\.)([^']+)'/g)].map(([, name = '']) => name);
}

function ranges(names: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...names].sort().map((name) => [name, rangeOf(name)]));
}

const TSCONFIG = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
  include: ['src'],
};

function readme({ name, framework, backend }: Project): string {
  return `# ${name}

A chat server that remembers each user across conversations, processes and restarts. The agent uses ${FRAMEWORKS[framework].what}. Conversations and memory are in ${BACKENDS[backend].what}, by [Keepsake](https://github.com/keepsake-memory/keepsake).

\`\`\`sh
npm install
cp .env.example .env   # then set what it asks for
npm start
\`\`\`

\`\`\`sh
curl -d "I am allergic to saffron." http://localhost:3000/alice/monday
curl -d "What am I allergic to?" http://localhost:3000/alice/friday
\`\`\`

The path is a user and a conversation. **Replace the user in the URL by that of your authentication** before anyone else can reach the server.

| File | |
| --- | --- |
| \`src/server.ts\` | The endpoint, and a clean shutdown |
| \`src/agent.ts\` | The model and its instructions |
| \`src/turn.ts\` | What the agent gets: a message, its conversation and the memory of its user |
| \`src/storage.ts\` | Where conversations and memory are |
| \`src/preview.ts\` | The answer while the key of the model is missing |

\`npm run dev\` restarts the server on changes, and \`npm run typecheck\` checks the types. It needs Node.js 22.18 or newer. Where a platform stops the server by SIGTERM, start it with \`${START}\`: npm does not pass that signal on.
`;
}
