/** Ids that a store gives: of texts, of messages, and UUIDs. */
const GIVEN_BY_STORE = /^(content|message)-[0-9a-f]{64}$|^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether somebody has chosen an id, so that it says something. */
export function isChosenKey(id: string): boolean {
  return !GIVEN_BY_STORE.test(id);
}
