import type { AnyItem } from '@keepsake/core';
import { AbstractSession, checkId, expectKnownFields, type FieldNames, uuidv7 } from '@keepsake/core/adapter';
import { sessionFolder } from './disk/file-names.ts';
import { checkFileOptions, FILE_OPTIONS, type FileOptions } from './file-options.ts';
import { reportOnce } from './log/corruption.ts';
import { SessionLog } from './sessions/session-log.ts';

/** How to open a {@link FileSession}. */
export interface FileSessionOptions extends FileOptions {
  /** @default A new UUID version 7. */
  readonly sessionId?: string | undefined;
}

const OPTIONS: FieldNames<FileSessionOptions> = { ...FILE_OPTIONS, sessionId: true };

/**
 * A session in a human-readable file that many processes on one machine can share.
 *
 * Every change is appended to a log under a lock; a crash leaves no partial change. Damaged lines are skipped and reported.
 * A change that would remove one is refused with `CORRUPT`, except for clearing the session.
 *
 * @example
 * const session = new FileSession({ directory: '.keepsake', sessionId: 'chat-42' });
 * await session.addItems([{ role: 'user', content: 'Hello' }]);
 */
export class FileSession<Item extends object = AnyItem> extends AbstractSession<Item> {
  /** @throws MemoryError `INVALID_ARGUMENT` for an invalid id or directory. Touches no file. */
  constructor(options: FileSessionOptions) {
    const { sessionId = uuidv7(), ...sessionOptions } = expectKnownFields(options, OPTIONS);
    const { directory, onCorrupt, ...write } = checkFileOptions(sessionOptions);
    checkId(sessionId, 'sessionId');
    const folder = sessionFolder(directory, sessionId);
    super(sessionId, new SessionLog(sessionId, folder, write, reportOnce(onCorrupt)(folder)));
  }
}
