/** The files to compile and the options. */
export interface Compilation {
  /** The directory that paths in diagnostics are relative to. */
  readonly project: string;
  readonly files: readonly string[];
  /** As in a tsconfig.json. */
  readonly options: object;
  /** Whether the errors of the file with this path count. */
  readonly isChecked: (path: string) => boolean;
}

/** A version of TypeScript. */
export interface Compiler {
  readonly name: string;
  /** Returns the errors, each as `path(line,column): error TS1234: message`. */
  check(compilation: Compilation): Promise<string[]>;
}
