/** The kind of runner. The same session id under two kinds names two sessions. */
export type ConversationKind = 'agent' | 'team' | 'workflow';

export const KINDS: readonly ConversationKind[] = ['agent', 'team', 'workflow'];
