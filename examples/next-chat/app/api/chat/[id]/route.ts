import { chat, orRefuse, userOf } from '../../../../src/chat.ts';

/** The messages of a chat, for the `messages` of `useChat`. */
export async function GET(
  request: Request,
  { params }: { readonly params: Promise<{ readonly id: string }> },
): Promise<Response> {
  return orRefuse(async () => {
    const { id } = await params;
    return Response.json(await chat.messages(id, { userId: userOf(request) }));
  });
}
