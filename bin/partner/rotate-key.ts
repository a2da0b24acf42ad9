import { replaceApiKey } from '../../data/partners/partners';
import { organisationId } from '../../domain/id';
import type { Partner } from '../../domain/partner';
import { createApiKey, deleteApiKey } from './api-key';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { reasonOf } from './reason';
import type { Report } from './report';
import { expectClient, readClientId } from './selected-clients';
import { Rollback } from './rollback';

/** Replaces a client's API key; the old one ends at once, issued tokens stay valid. */
export async function rotateKey(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const clientId = readClientId(flags);
  const deployment = await connect();
  const client = await expectClient(clientId);
  const apiKey = await replaceKey(deployment, client);
  // The new key is already active, so print it even when the old one, which is no longer accepted, can't be deleted.
  const ended = await deleteApiKey(client.apiKeyId).then(
    () => 'The old key was deleted.',
    (error: unknown) => `The old key is no longer accepted; delete ${client.apiKeyId} manually (${reasonOf(error)}).`,
  );
  return {
    json: { clientId, apiKey },
    text: `client id  ${clientId}\nAPI key    ${apiKey}\n\n${ended} The new one is not shown again.`,
  };
}

async function replaceKey(
  deployment: Deployment,
  { clientId, organisation, name, apiKeyId }: Partner,
): Promise<string> {
  const rollback = new Rollback();
  try {
    const { id, value } = await createApiKey(deployment, `${organisationId(organisation)} ${name}`, rollback);
    if (!(await replaceApiKey(clientId, apiKeyId, id))) throw new Failure(`${clientId} was changed by another command`);
    return value;
  } catch (error) {
    throw await rollback.run(reasonOf(error));
  }
}
