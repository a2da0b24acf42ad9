import { replaceApiKey } from '../../data/partners/partners';
import { organisationId } from '../../domain/id';
import type { Partner } from '../../domain/partner';
import { createApiKey, deleteApiKey } from './api-key';
import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { reasonOf } from './reason';
import type { Report } from './report';
import { expectClient, readClientId } from './selected-clients';
import { Undo } from './undo';

/** Puts a new API key in the place of a client's old one, which ends at once; tokens that are out stay good. */
export async function rotateKey(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const clientId = readClientId(flags);
  const deployment = await connect();
  const client = await expectClient(clientId);
  const apiKey = await replaceKey(deployment, client);
  // The new key holds whatever happens now, so it is shown even when the old one, which opens nothing any more, stays.
  const ended = await deleteApiKey(client.apiKeyId).then(
    () => 'The old key has ended.',
    (error: unknown) => `The old key opens nothing any more; delete ${client.apiKeyId} by hand (${reasonOf(error)}).`,
  );
  return {
    json: { clientId, apiKey },
    text: `client id  ${clientId}\nAPI key    ${apiKey}\n\n${ended} The new one is shown this once.`,
  };
}

async function replaceKey(
  deployment: Deployment,
  { clientId, organisation, name, apiKeyId }: Partner,
): Promise<string> {
  const made = new Undo();
  try {
    const { id, value } = await createApiKey(deployment, `${organisationId(organisation)} ${name}`, made);
    if (!(await replaceApiKey(clientId, apiKeyId, id))) throw new Failure(`${clientId} was changed by somebody else`);
    return value;
  } catch (error) {
    throw await made.after(reasonOf(error));
  }
}
