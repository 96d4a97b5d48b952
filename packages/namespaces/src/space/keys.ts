/** Ids that a store generates: for texts, for messages, and UUIDs. */
const GIVEN_BY_STORE = /^(content|message)-[0-9a-f]{64}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether an id was chosen by a caller, so that it has a meaning. */
export function isChosenKey(id: string): boolean {
  return !GIVEN_BY_STORE.test(id);
}
