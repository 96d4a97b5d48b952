/** What the memory tool needs of a `Workspace` of `@keepsake/workspace`, which has all of it. */
export interface MemoryWorkspace {
  read(path: string): Promise<{ readonly text: string; readonly version: string } | undefined>;
  write(path: string, text: string, options?: { readonly ifVersion?: string | null | undefined }): Promise<string>;
  list(folder: string): Promise<string[]>;
  delete(path: string, options?: { readonly ifVersion?: string | undefined }): Promise<boolean>;
}
