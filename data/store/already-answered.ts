/** The key has been used: the response to that request, and the fingerprint of its body. */
export class AlreadyAnswered extends Error {
  override readonly name = 'AlreadyAnswered';

  constructor(
    readonly fingerprint: string,
    readonly reply: unknown,
  ) {
    super('a request with this idempotency key has been answered');
  }
}
