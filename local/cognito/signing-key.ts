/** The key that access tokens are signed with: made at the first start and kept, so that tokens outlive a restart. */
import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, type CryptoKey, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-file';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** For the key set that verifiers fetch. */
  readonly publicJwk: JWK;
}

const kept = z.object({ kid: z.string(), pkcs8: z.string(), publicJwk: z.record(z.string(), z.string()) }).nullable();

/** Opens the RS256 key of `dataFolder`, or makes one. */
export async function openSigningKey(dataFolder: string): Promise<SigningKey> {
  const file = openDataFile(join(dataFolder, 'token-key.json'), kept, null);
  let key = file.read();
  if (!key) {
    const pair = await generateKeyPair('RS256', { extractable: true });
    const kid = randomUUID();
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' };
    key = { kid, pkcs8: await exportPKCS8(pair.privateKey), publicJwk: z.record(z.string(), z.string()).parse(jwk) };
    file.write(key);
  }
  return { kid: key.kid, privateKey: await importPKCS8(key.pkcs8, 'RS256'), publicJwk: key.publicJwk };
}
