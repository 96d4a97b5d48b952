export { fromBase64, toBase64 } from './base64.ts';
export {
  type ConversationKind,
  type ConversationNames,
  type ConversationOf,
  type Conversations,
  type EndOfRun,
  instructionsOf,
  type OpenConversationRun,
  type PreparedConversation,
  type RunStatus,
  type SavedRun,
  type StoredRun,
  storedError,
} from './conversations.ts';
export { escapeAttribute, escapeText } from './escape.ts';
export { estimateTokens } from './estimate-tokens.ts';
export { fieldPath } from './field-path.ts';
export { isFileField, TOKENS_OF_FILE } from './files-in-items.ts';
export { givenFields } from './given-fields.ts';
export {
  ENTITIES,
  ENTITY_IDS,
  type Entity,
  entityId,
  entityRecord,
  RELATION_IDS,
  RELATIONS,
  type Relation,
  readEntity,
  readRelation,
  relationRecord,
  relationText,
} from './graph-records.ts';
export { causesOf, httpStatusOf } from './http-status.ts';
export { isObject } from './is-object.ts';
export {
  jsonAnswers,
  listAnswer,
  objectAnswer,
  objectAnswers,
  schemaAnswer,
  withoutThoughts,
} from './json-answers.ts';
export { keptFields } from './kept-fields.ts';
export { answeredItems, withoutBlocks, withoutToolCalls } from './leave-out.ts';
export { LruMap } from './lru-map.ts';
export { nearestName } from './nearest-name.ts';
export { allItems, allPages } from './pages.ts';
export { parseJson } from './parse-json.ts';
export { pause } from './pause.ts';
export { placeholder } from './placeholder.ts';
export { prefixEnd } from './prefix-end.ts';
export { type ProviderFailure, providerFailure } from './provider-failure.ts';
export { quoted } from './quoted.ts';
export { type Fused, type FuseOptions, fuse, reciprocalRankFusion, withoutRepeats } from './rank-fusion.ts';
export { readToolInput } from './read-tool-input.ts';
export {
  asSegment,
  fromSegment,
  isBorder,
  isOutbox,
  isReserved,
  SEGMENT_TAGS,
} from './reserved-segments.ts';
export { type RunMemory, type RunSegment, warnRunNotKept } from './run-memory.ts';
export { sha256 } from './sha256.ts';
export { finish, finishWithPauses, nextTurn, Pauses, SharedTurn, STEP_MS, type Steps } from './steps.ts';
export { withoutStrictNulls } from './strict-nulls.ts';
export { nullable, strictObject } from './strict-object.ts';
export { strictSchema } from './strict-schema.ts';
export { TaskQueues } from './task-queues.ts';
export { callIds, findOrphans, isOpenUiCall, isToolPart, openCalls, resultIds, startsTurn } from './tool-calls.ts';
export { Unanswered } from './unanswered.ts';
export { untilAborted } from './until-aborted.ts';
export { versionsOf } from './versions-of.ts';
export { characterStart, wellFormedJson } from './well-formed.ts';
export type { WithDefaults } from './with-defaults.ts';
export { withoutUndefined } from './without-undefined.ts';
