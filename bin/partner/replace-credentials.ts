import { replaceApiKeys } from '../../data/access/partners';
import { organisationId } from '../../domain/values/id';
import { apiKeyIds, type Partner } from '../../domain/access/partner';
import { reasonOf } from '../command-line/reason';
import type { Deployment } from '../deployment/deployment';
import { Failure } from '../command-line/failure';
import { createApiKey, deleteApiKey } from './api-key';
import { addSecret, deleteSecret, listSecretIds } from './oauth-client';
import { allSettled, Rollback } from './rollback';

/**
 * Replaces all secrets of a client by a new one. Cognito keeps at most two and never deletes the last, so of two the older goes first.
 * Repeated after a failure, it leaves one secret too.
 * @returns the new secret
 */
export async function replaceSecrets(deployment: Deployment, clientId: string): Promise<string> {
  const [first, second] = await listSecretIds(deployment, clientId);
  if (first !== undefined && second !== undefined) await deleteSecret(deployment, clientId, first);
  const secret = await addSecret(deployment, clientId);
  const last = second ?? first;
  if (last !== undefined) await deleteSecret(deployment, clientId, last);
  return secret;
}

/**
 * Replaces all API keys of a client by a new one. The old ones are deleted first, since the client's record names them: a command
 * that failed half-way can be repeated and leaves no key behind.
 * @returns the value of the new key
 */
export async function replaceKeys(deployment: Deployment, client: Partner): Promise<string> {
  const { clientId, organisation, name } = client;
  await allSettled(apiKeyIds(client).map(deleteApiKey));
  const rollback = new Rollback();
  try {
    const { id, value } = await createApiKey(deployment, `${organisationId(organisation)} ${name}`, rollback);
    if (!(await replaceApiKeys(client, id)))
      throw new Failure(`${clientId} was changed by another command: see its keys with \`list\``);
    return value;
  } catch (error) {
    throw await rollback.run(reasonOf(error));
  }
}
