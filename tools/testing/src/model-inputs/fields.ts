// biome-ignore lint/suspicious/noExplicitAny: the rules read messages of all formats
export type Fields = Readonly<Record<string, any>>;
