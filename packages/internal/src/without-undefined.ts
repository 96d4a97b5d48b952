/** A copy of an object without its `undefined` fields. */
export function withoutUndefined<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };
}
