import { MemoryError } from '@keepsake/core';
import { isObject } from '@keepsake/internal';
import { safeValidateUIMessages, type UIMessage } from 'ai';

/**
 * The body of a request of `useChat`. Only its last message is used, because the conversation has the others: a client can't
 * change them. Other fields are ignored.
 */
export interface ChatRequest {
  /** The id of the chat, which is the id of the session. */
  readonly id: string;
  /** All messages, as `DefaultChatTransport` sends them by default. */
  readonly messages?: readonly UIMessage[] | undefined;
  /** Or only the last one. */
  readonly message?: UIMessage | undefined;
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined;
  /** The message that is edited or generated again. */
  readonly messageId?: string | undefined;
}

/** A checked request. */
export interface CheckedRequest {
  readonly id: string;
  readonly message: UIMessage;
  /** The answer that is generated again, if the client names it. */
  readonly regenerates: string | undefined;
  readonly isRegeneration: boolean;
}

/** @throws MemoryError `INVALID_ARGUMENT` for anything else than a request of `useChat`. */
export async function checkRequest(request: unknown): Promise<CheckedRequest> {
  if (!isObject(request) || typeof request.id !== 'string') throw invalid('A chat request must have an `id`.');
  const { id, messages, trigger, messageId } = request as Partial<ChatRequest> & { id: string };
  const { message = Array.isArray(messages) ? (messages.at(-1) as unknown) : undefined } = request;
  const checked = await safeValidateUIMessages({ messages: [message] });
  // No cause, because it quotes the message.
  if (!checked.success)
    throw invalid('The last message of a chat request must be a UI message with `id`, `role`, `parts`.');
  const isRegeneration = trigger === 'regenerate-message';
  const regenerates = isRegeneration && typeof messageId === 'string' ? messageId : undefined;
  return { id, message: message as UIMessage, regenerates, isRegeneration };
}

export function invalid(message: string): MemoryError {
  return new MemoryError('INVALID_ARGUMENT', message);
}
