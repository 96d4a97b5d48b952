import type ts from 'typescript';
import type { Compilation, Compiler } from './compiler.ts';

// Parsing what a package depends on takes most of the time, and the result is the same for all of its setups.
const SHARED = /\/node_modules\/(?!@keepsake\/)/;

/** Compiles with the API of TypeScript up to version 6, checking only the files that count. */
export function checkByApi(typescript: typeof ts): Compiler['check'] {
  const parsed = new Map<string, ts.SourceFile | undefined>();

  function hostOf(options: ts.CompilerOptions, project: string): ts.CompilerHost {
    const host = typescript.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getCurrentDirectory = () => project;
    host.getSourceFile = (path, ...rest) => {
      if (!SHARED.test(path)) return getSourceFile(path, ...rest);
      const key = `${options.moduleResolution} ${path}`;
      if (!parsed.has(key)) parsed.set(key, getSourceFile(path, ...rest));
      return parsed.get(key);
    };
    return host;
  }

  return async ({ project, files, options, isChecked }: Compilation) => {
    const converted = typescript.convertCompilerOptionsFromJson(options, project);
    const host = hostOf(converted.options, project);
    const program = typescript.createProgram(files, converted.options, host);
    const checked = program.getSourceFiles().filter(({ fileName }) => isChecked(fileName));
    return [
      ...converted.errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ].map((diagnostic) => typescript.formatDiagnostic(diagnostic, host).trim());
  };
}
