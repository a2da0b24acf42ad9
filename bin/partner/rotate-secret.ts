import { Failure, type Flags } from './command-line';
import type { Deployment } from './deployment';
import { addSecret, deleteSecret, listSecretIds } from './oauth-client';
import type { Report } from './report';
import { expectClient, readClientId } from './selected-clients';

/**
 * Gives a client a second secret; both hold until the older one is ended with `--retire-old`, so that the partner
 * changes over when it likes.
 */
export async function rotateSecret(flags: Flags, connect: () => Promise<Deployment>): Promise<Report> {
  const clientId = readClientId(flags);
  const deployment = await connect();
  await expectClient(clientId);
  const [oldest, second] = await listSecretIds(deployment, clientId);
  if (flags['retire-old']) {
    if (oldest === undefined || second === undefined) throw new Failure(`${clientId} has no older secret to end`);
    await deleteSecret(deployment, clientId, oldest);
    return { json: { clientId, retired: true }, text: `The older secret of ${clientId} has ended.` };
  }
  if (second !== undefined) {
    throw new Failure(`${clientId} has two secrets already: end the older one first with --retire-old`);
  }
  const clientSecret = await addSecret(deployment, clientId);
  const next = 'The old secret holds too until it is ended with --retire-old. The new one is shown this once.';
  return {
    json: { clientId, clientSecret },
    text: `client id      ${clientId}\nclient secret  ${clientSecret}\n\n${next}`,
  };
}
