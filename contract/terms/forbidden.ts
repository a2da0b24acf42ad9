import { forbidden } from '../../domain/values/refusal';

/**
 * A caller whose token has none of these scopes.
 * @param path what to name as the cause: the header of a request, the field of a message
 * @param needed scopes, or those of an endpoint as one text (`scopeNames`)
 */
export const lacksScope = (path: string, ...needed: readonly string[]) =>
  forbidden(path, `needs scope ${needed.join(' or ')}`);

/**
 * Why a client with a valid token is refused everything.
 * @param path where the token was
 */
export const clientSuspended = (path = 'Authorization') => forbidden(path, 'the client is suspended or was removed');

/**
 * Why the token endpoint refuses an API key that exists. Nothing shows yet that the caller is the client, so the text
 * is the same for both causes.
 */
export const apiKeyRefused = () => forbidden('x-api-key', "is not this client's, or the client is suspended");

/** Why the token endpoint refuses a request without an API key of this service. */
export const apiKeyUnknown = () => forbidden('x-api-key', 'is missing or unknown');

/** Causes over WebSockets, beside {@link lacksScope}. */
export const notForViewers = () => forbidden('action', 'is not for viewers of a share');
export const onlyForViewers = () => forbidden('action', 'is only for viewers of a share');

/** Why a token does not let a socket go on that another client has opened. */
export const tokenOfAnotherClient = () => forbidden('token', 'is not of the client that opened the socket');

/** Why a viewer's command is refused; the same text for every cause, since viewers are strangers to the organisation. */
export const commandsNotPermitted = () => forbidden('', 'the share does not permit this, or it has ended');

/** Why a viewer gets no video of a share of the type DEVICE_STATUS. */
export const noVideoShared = () => forbidden('', 'the share is not of live video');
