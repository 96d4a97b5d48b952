import type { ExtractionConfig } from '../manager/extraction/extraction-config.ts';

/**
 * Whether and how a manager feeds conversations to a store: `true` for its defaults, the settings of Keepsake's
 * `MemoryManager`, or those of the Strands SDK.
 */
export type StoreExtraction = boolean | ExtractionConfig | StrandsExtraction;

/** The shape of `ExtractionConfig` of the Strands SDK, whose triggers attach to its own agent. */
interface StrandsExtraction {
  readonly trigger?: StrandsTrigger | readonly StrandsTrigger[] | undefined;
  readonly extractor?: { readonly extract: object } | undefined;
  readonly filter?: { readonly exclude: readonly string[] } | undefined;
}

interface StrandsTrigger {
  readonly name: string;
  readonly attach: object;
}
