/** Key that signs access tokens, persisted so that tokens stay valid after a restart. */
import { exportJWK, exportPKCS8, generateKeyPair, importPKCS8, type CryptoKey, type JWK } from 'jose';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { openDataFile } from '../data-folder/atomic-file';

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  /** For the published key set. */
  readonly publicJwk: JWK;
}

const storedKey = z
  .object({ kid: z.string(), pkcs8: z.string(), publicJwk: z.record(z.string(), z.string()) })
  .nullable();

/** Loads the RS256 key from `dataFolder`, or generates it. */
export async function openSigningKey(dataFolder: string): Promise<SigningKey> {
  const file = openDataFile(join(dataFolder, 'token-key.json'), storedKey, null);
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
