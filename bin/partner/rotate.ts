import { addApiKey, retireApiKey, withdrawApiKey } from '../../data/access/partners';
import { organisationId } from '../../domain/values/id';
import type { Partner } from '../../domain/access/partner';
import { createApiKey, deleteApiKey, addSecret, deleteSecret, listSecretIds } from './credentials';
import { Failure, reasonOf } from '../command-line/errors';
import type { Flags } from './command-line';
import type { Deployment } from '../deployment/deployment';
import type { Report } from '../program/run-program';
import type { Session } from '../deployment/session';
import { expectClient } from '../deployment/expect-client';
import { readClientId } from './selected-clients';
import { Rollback } from './rollback';

/**
 * Adds a second API key; the token endpoint accepts both until `--retire-old` deletes the older one, so that the partner
 * can switch in between.
 */
export async function rotateKey(flags: Flags, session: Session): Promise<Report> {
  const clientId = readClientId(flags);
  const deployment = await session.connect();
  const client = await expectClient(clientId);
  if (flags['retire-old']) {
    session.progress('deleting the older API key');
    await retireOldKey(client);
    return { json: { clientId, retired: true }, text: `The older API key of ${clientId} was deleted.` };
  }
  if (client.newApiKeyId !== undefined) {
    throw new Failure(`${clientId} has two API keys already: delete the older one first with --retire-old`);
  }
  session.progress('adding the API key');
  const apiKey = await addKey(deployment, client);
  const next = 'The old key stays valid until --retire-old deletes it. The new one is not shown again.';
  return { json: { clientId, apiKey }, text: `client id  ${clientId}\nAPI key    ${apiKey}\n\n${next}` };
}

/** API Gateway first: a command that failed half-way can then be repeated, and leaves no key behind. */
async function retireOldKey({ clientId, apiKeyId, newApiKeyId }: Partner): Promise<void> {
  if (newApiKeyId === undefined) {
    throw new Failure(`${clientId} has one API key only: without --retire-old this adds the second`);
  }
  await deleteApiKey(apiKeyId);
  if (!(await retireApiKey(clientId, apiKeyId, newApiKeyId))) throw new Failure(changedMeanwhile(clientId));
}

async function addKey(deployment: Deployment, { clientId, organisation, name }: Partner): Promise<string> {
  const rollback = new Rollback();
  try {
    const { id, value } = await createApiKey(deployment, `${organisationId(organisation)} ${name}`, rollback);
    // Also when the write fails: its response may have been lost, and --retire-old must not leave a deleted key.
    rollback.add(`newApiKeyId of ${clientId} in the partners table`, () => withdrawApiKey(clientId, id));
    if (!(await addApiKey(clientId, id))) throw new Failure(changedMeanwhile(clientId));
    return value;
  } catch (error) {
    throw await rollback.run(reasonOf(error));
  }
}

const changedMeanwhile = (clientId: string) => `${clientId} was changed by another command: see its keys with \`list\``;

/**
 * Adds a second secret; both are valid until `--retire-old` deletes the older one, so that the partner can switch in
 * between.
 */
export async function rotateSecret(flags: Flags, session: Session): Promise<Report> {
  const clientId = readClientId(flags);
  const deployment = await session.connect();
  await expectClient(clientId);
  const [oldest, second] = await listSecretIds(deployment, clientId);
  if (flags['retire-old']) {
    if (oldest === undefined || second === undefined)
      throw new Failure(`${clientId} has one secret only: without --retire-old this adds the second`);
    await deleteSecret(deployment, clientId, oldest);
    return { json: { clientId, retired: true }, text: `The older secret of ${clientId} was deleted.` };
  }
  if (second !== undefined) {
    throw new Failure(`${clientId} has two secrets already: delete the older one first with --retire-old`);
  }
  session.progress('adding the secret');
  const clientSecret = await addSecret(deployment, clientId);
  const next = 'The old secret stays valid until --retire-old deletes it. The new one is not shown again.';
  return {
    json: { clientId, clientSecret },
    text: `client id      ${clientId}\nclient secret  ${clientSecret}\n\n${next}`,
  };
}
