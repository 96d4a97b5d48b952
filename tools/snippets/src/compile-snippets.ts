import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { SourceFile } from 'typescript7/unstable/ast';
import { API, type Diagnostic, type Program } from 'typescript7/unstable/sync';
import type { Snippet } from './find-snippets.ts';
import { findUsing } from './find-using.ts';

/**
 * Compiles snippets, each as a separate module next to its document, with the settings of the repository. Workspace packages
 * resolve to their sources. A snippet that shows a file is compiled in the place of that file and must be identical to it.
 *
 * @returns the errors of each snippet as `path:line:column - error TS…: …`, with the line in the document.
 */
export function compileSnippets(snippets: readonly Snippet[], root: string): string[][] {
  const names = snippets.map((snippet) => moduleName(snippet, root));
  const config = join(root, `tsconfig.${randomUUID()}.json`).replaceAll('\\', '/');
  // They exist only for the compiler.
  const files = new Map([
    ...snippets.map(({ code }, index) => [names[index], code] as const),
    [config, settings(names)],
  ]);
  const api = new API({
    cwd: root,
    fs: { readFile: (name) => files.get(name), fileExists: (name) => files.has(name) || undefined },
  });
  try {
    const program = api.updateSnapshot({ openProjects: [config] }).getProject(config)?.program;
    if (program === undefined) throw new Error('The compiler did not open the snippets.');
    const general = [...program.getConfigFileParsingDiagnostics(), ...program.getProgramDiagnostics()];
    if (general.length > 0) throw new Error(general.map(messageOf).join('\n'));
    return snippets.map((snippet, index) => errorsIn(program, names[index] ?? '', snippet, root));
  } finally {
    api.close();
  }
}

/** Next to the document, so that relative imports and the module type of the nearest package.json apply. */
function moduleName({ path, line, file }: Snippet, root: string): string {
  const name = file ?? join(dirname(path), `${basename(path)}.${line}.ts`);
  return join(root, name).replaceAll('\\', '/');
}

function settings(files: readonly string[]): string {
  const compilerOptions = {
    composite: false,
    emitDeclarationOnly: false,
    noEmit: true,
    moduleDetection: 'force',
    types: ['node'],
  };
  return JSON.stringify({ extends: './tsconfig.base.json', compilerOptions, files });
}

function errorsIn(program: Program, name: string, snippet: Snippet, root: string): string[] {
  const file = program.getSourceFile(name);
  if (file === undefined) throw new Error(`The compiler did not read ${name}.`);
  const found = [...program.getSyntacticDiagnostics(name), ...program.getSemanticDiagnostics(name)];
  return [
    ...differences(snippet, root),
    ...found.map((diagnostic) => `${at(snippet, file, diagnostic.pos)} TS${diagnostic.code}: ${messageOf(diagnostic)}`),
    // Syntax that the lowest Node can't run. The compiler accepts it because it would transform it.
    ...findUsing(file).map(
      (start) => `${at(snippet, file, start)}: Node 22 has no \`using\`. Call \`close()\` instead.`,
    ),
  ];
}

function differences({ path, line, code, file }: Snippet, root: string): string[] {
  if (file === undefined) return [];
  const text = readIfThere(join(root, file));
  if (text === undefined) return [`${path}:${line} - error: ${file} does not exist.`];
  const [lines, shown] = [text.trimEnd().split('\n'), code.split('\n')];
  const longer = shown.length > lines.length ? shown : lines;
  const index = longer.findIndex((_, place) => shown[place] !== lines[place]);
  return index === -1 ? [] : [`${path}:${line + index} - error: differs from line ${index + 1} of ${file}.`];
}

function readIfThere(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function at({ path, line }: Snippet, file: SourceFile, position: number): string {
  const before = file.text.slice(0, position).split('\n');
  return `${path}:${line + before.length - 1}:${(before.at(-1) ?? '').length + 1} - error`;
}

function messageOf({ text, messageChain = [] }: Diagnostic): string {
  const details = messageChain.flatMap((one) =>
    messageOf(one)
      .split('\n')
      .map((line) => `  ${line}`),
  );
  return [text, ...details].join('\n');
}
