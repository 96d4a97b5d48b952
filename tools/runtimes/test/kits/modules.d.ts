// What is used of modules that only some runtimes have.
declare module 'cloudflare:workers' {
  import type { DurableObjectDatabase } from '@keepsake/sqlite';

  export class DurableObject {
    protected readonly ctx: { readonly storage: DurableObjectDatabase };
  }
}
declare module 'bun:sqlite' {
  export class Database {
    constructor(file: string);
  }
}
