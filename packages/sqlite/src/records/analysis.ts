import { MemoryError } from '@keepsake/core';
import { remoteAnalysis } from '@keepsake/search/remote';
import type { Connection } from '../database/connection.ts';
import type { NamespaceRow } from './namespace-rows.ts';
import type { RecordsOptions } from './records-options.ts';

/**
 * Notes how the texts of a namespace are analysed, or refuses to go on if they were analysed in another way: searches and
 * removals would not find them.
 */
export function checkAnalysis(
  connection: Connection,
  { namespace, analysis, document_count }: NamespaceRow,
  { language }: RecordsOptions,
): void {
  const own = remoteAnalysis(language);
  if (analysis === own) return;
  if (analysis !== null && document_count > 0) throw otherAnalysis(analysis, own);
  connection.run('UPDATE keepsake_namespaces SET analysis = ? WHERE namespace = ?', own, namespace);
}

export function otherAnalysis(indexed: string, own: string): MemoryError {
  return new MemoryError(
    'BACKEND',
    `The texts of this namespace were analysed as "${indexed}" (a version and a language), but this store analyses them ` +
      `as "${own}". Nothing was changed. Use that \`language\` or that version of the package, or read the records with ` +
      'list(), clear() the namespace and put them again.',
  );
}
