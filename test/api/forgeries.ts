import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

/** Forged tokens, made from a valid one. */
export async function forgeries(token: string) {
  const claims = decodeJwt(token);
  const { kid = '' } = decodeProtectedHeader(token);
  const [header = '', payload = '', signature = ''] = token.split('.');
  const { privateKey } = await generateKeyPair('RS256');
  const more = Buffer.from(JSON.stringify({ ...claims, scope: `${String(claims['scope'])} more` })).toString(
    'base64url',
  );
  return {
    signedByAnother: await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey),
    signedByText: await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode('a secret of at least thirty-two bytes')),
    unsigned: new UnsecuredJWT(claims).encode(),
    cut: token.slice(0, -10),
    withoutSignature: `${header}.${payload}.`,
    withMoreScopes: `${header}.${more}.${signature}`,
  };
}
