export { encrypted } from './encryption/encrypted.ts';
export type { EncryptedStoreOptions } from './encryption/encrypted-store.ts';
export type { KeyRing } from './encryption/key-ring.ts';
export { redactJson, redactText } from './redaction/redact.ts';
export { redacted } from './redaction/redacted.ts';
