/** The versions that the records of a batch must have, as `ifVersions` of `RecordStore.putMany`; `undefined` without any. */
export function versionsOf(
  records: readonly { readonly id: string; readonly ifVersion?: number | undefined }[],
): Readonly<Record<string, number>> | undefined {
  const versions = records.flatMap(({ id, ifVersion }) => (ifVersion === undefined ? [] : [[id, ifVersion] as const]));
  return versions.length === 0 ? undefined : Object.fromEntries(versions);
}
