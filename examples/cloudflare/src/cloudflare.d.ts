// What the Worker uses. In a project of yours, `npx wrangler types` writes the whole.
declare module 'cloudflare:workers' {
  import type { DurableObjectDatabase } from '@keepsake/sqlite';

  export class DurableObject {
    protected readonly ctx: { readonly storage: DurableObjectDatabase };
  }
}
