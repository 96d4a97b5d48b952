export { type BackupOptions, type BackupReport, backup } from './backup/backup.ts';
export { checkDirectory, type FolderReport, type Problem } from './check/check-directory.ts';
export type { Durability } from './disk/disk.ts';
export type { FileOptions } from './file-options.ts';
export { FileSession, type FileSessionOptions } from './file-session.ts';
export { FileSessionStore } from './file-session-store.ts';
export { FileStore, type FileStoreOptions } from './file-store.ts';
export type { CorruptionReport, OnCorrupt } from './log/corruption.ts';
