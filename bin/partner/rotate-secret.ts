import { Failure } from '../command-line/failure';
import type { Flags } from './command-line';
import { addSecret, deleteSecret, listSecretIds } from './oauth-client';
import type { Report } from '../command-line/report';
import type { Session } from '../deployment/session';
import { expectClient } from '../deployment/expect-client';
import { readClientId } from './selected-clients';

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
