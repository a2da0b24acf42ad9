/**
 * What a 401 says of a token whose time is over: by the authorizer, or by the function when the authorizer's answer was
 * cached.
 */
export const TOKEN_EXPIRED = 'the token has expired';
