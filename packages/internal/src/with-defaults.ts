/** Options after their defaults were filled in: every field has a value. */
export type WithDefaults<Options> = { readonly [Name in keyof Options]-?: Exclude<Options[Name], undefined> };
