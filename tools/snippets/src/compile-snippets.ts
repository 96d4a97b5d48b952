import { basename, dirname, join } from 'node:path';
import ts from 'typescript';
import type { Snippet } from './find-snippets.ts';
import { findUsing } from './find-using.ts';

/**
 * Compiles snippets, each as a separate module next to its document, with the settings of the repository. Workspace packages
 * resolve to their sources. A snippet that shows a file is compiled in the place of that file and must be identical to it.
 *
 * @returns the errors of each snippet as `path:line:column - error TS…: …`, with the line in the document.
 */
export function compileSnippets(snippets: readonly Snippet[], root: string): string[][] {
  const modules = new Map(snippets.map((snippet) => [moduleName(snippet, root), snippet.code]));
  const options = compilerOptions(root);
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile } = host;
  host.getCurrentDirectory = () => root;
  host.fileExists = (name) => modules.has(name) || fileExists(name);
  host.readFile = (name) => modules.get(name) ?? readFile(name);

  const program = ts.createProgram([...modules.keys()], options, host);
  const general = program.getConfigFileParsingDiagnostics().concat(program.getOptionsDiagnostics());
  if (general.length > 0) throw new Error(ts.formatDiagnostics(general, host));
  return snippets.map((snippet) => {
    const file = program.getSourceFile(moduleName(snippet, root));
    return [
      ...differences(snippet, root),
      ...ts.getPreEmitDiagnostics(program, file).map((diagnostic) => describe(diagnostic, snippet)),
      ...(file === undefined ? [] : newerSyntax(file, snippet)),
    ];
  });
}

/** Next to the document, so that relative imports and the module type of the nearest package.json apply. */
function moduleName({ path, line, file }: Snippet, root: string): string {
  const name = file ?? join(dirname(path), `${basename(path)}.${line}.ts`);
  return join(root, name).replaceAll('\\', '/');
}

function differences({ path, line, code, file }: Snippet, root: string): string[] {
  if (file === undefined) return [];
  const lines = ts.sys.readFile(join(root, file))?.trimEnd().split('\n');
  if (lines === undefined) return [`${path}:${line} - error: ${file} does not exist.`];
  const shown = code.split('\n');
  const longer = shown.length > lines.length ? shown : lines;
  const index = longer.findIndex((_, place) => shown[place] !== lines[place]);
  return index === -1 ? [] : [`${path}:${line + index} - error: differs from line ${index + 1} of ${file}.`];
}

/** Syntax that the lowest Node can't run. The compiler accepts it because it would transform it. */
function newerSyntax(file: ts.SourceFile, { path, line }: Snippet): string[] {
  return findUsing(file).map((start) => {
    const at = file.getLineAndCharacterOfPosition(start);
    return `${path}:${line + at.line}:${at.character + 1} - error: Node 22 has no \`using\`. Call \`close()\` instead.`;
  });
}

function compilerOptions(root: string): ts.CompilerOptions {
  const { config, error } = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile);
  if (error !== undefined) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'));
  const { compilerOptions } = config;
  return {
    ...ts.convertCompilerOptionsFromJson(compilerOptions, root).options,
    composite: false,
    emitDeclarationOnly: false,
    noEmit: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ['node'],
  };
}

function describe({ file, start = 0, code, messageText }: ts.Diagnostic, { path, line }: Snippet): string {
  const at = file?.getLineAndCharacterOfPosition(start) ?? { line: 0, character: 0 };
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  return `${path}:${line + at.line}:${at.character + 1} - error TS${code}: ${message}`;
}
