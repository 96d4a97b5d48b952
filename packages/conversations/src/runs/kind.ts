/** Who runs: the same session id under two kinds is two sessions. */
export type ConversationKind = 'agent' | 'team' | 'workflow';

export const KINDS: readonly ConversationKind[] = ['agent', 'team', 'workflow'];
