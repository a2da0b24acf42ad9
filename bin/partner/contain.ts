import { listOrganisations } from '../../data/access/organisations';
import { suspendWithTokens } from '../../data/access/partners';
import { revokeShare } from '../../data/shares/shares';
import { readStoredShares } from '../../data/shares/stored-shares';
import { refusingUntil, type Partner } from '../../domain/access/partner';
import { Refusal } from '../../domain/values/refusal';
import { Failure } from '../command-line/failure';
import { printable } from '../command-line/printable';
import type { Report } from '../command-line/report';
import { flushAuthorizerCache } from '../deployment/authorizer-cache';
import type { Session } from '../deployment/session';
import type { Flags } from './command-line';
import { describeCreated, listCreatedJobs, listCreatedShares, originsFor, type OriginOf } from './created-since';
import { closeSockets, endMqttConnections } from './end-connections';
import { syncOrganisationStatus } from './organisation-status';
import { replaceKeys, replaceSecrets } from './replace-credentials';
import { allSettled } from './rollback';
import { expectClient, noClient } from '../deployment/expect-client';
import { readClientId } from './selected-clients';
import { readSince } from './since';
import { Steps } from './steps';
import { tellPlatform } from './tell-platform';

/**
 * Ends what a leaked secret or key gives access to, in seconds: first whatever lets its finder in, then what is open already. The client
 * stays suspended; resumed, it needs the new secret and key, and its old tokens stay refused. A step that fails stops no other, and the
 * command can be repeated.
 */
export async function contain(flags: Flags, session: Session): Promise<Report> {
  const clientId = readClientId(flags);
  const since = readSince(flags.since, Date.now());
  const deployment = await session.connect();
  const steps = new Steps(session);

  const suspended = await steps.run('suspending the client and refusing its tokens', () => refuse(clientId));
  const client = suspended ?? (await expectClient(clientId));
  await steps.run('ending REST calls', () => flushAuthorizerCache(deployment));
  const sockets = await steps.run('closing sockets', () => closeSockets(clientId));
  const mqtt = await steps.run('ending MQTT connections', () => endMqttConnections(clientId));
  const shares = await steps.run('revoking its shares', () => revokeSharesOf(client, since));
  const clientSecret = await steps.run('replacing the secret', () => replaceSecrets(deployment, clientId));
  const apiKey = await steps.run('replacing the API key', () => replaceKeys(deployment, client));
  // Until its secret was deleted, Cognito gave tokens for it.
  await steps.run('refusing tokens issued meanwhile', () => refuse(clientId));
  const jobs = await steps.run('reading its jobs', async () => listCreatedJobs(client, since, await originsOf(client)));
  // A call or a handshake that was let in before the first step may have ended after the second.
  await steps.run('ending what was opened meanwhile', () =>
    allSettled([flushAuthorizerCache(deployment), closeSockets(clientId), endMqttConnections(clientId)]),
  );
  await steps.run('changing the status of the organisation', () => syncOrganisationStatus(client.organisation));
  await tellPlatform(client.organisation, session);

  const ended = { sockets, mqttConnections: mqtt, shares: shares?.revoked };
  const created = { since, jobs: jobs ?? [], shares: shares?.created ?? [] };
  const again = steps.failures.length > 0 ? [`repeat \`contain ${clientId}\` until each step succeeds`] : [];
  return {
    json: { clientId, status: 'suspended', clientSecret, apiKey, ended, created, failures: steps.failures },
    text: [
      `client id      ${clientId}\nclient secret  ${clientSecret ?? '(not replaced)'}\nAPI key        ${apiKey ?? '(not replaced)'}`,
      `${clientId} (${printable(client.name)}) is suspended, and its tokens are refused for good.
Ended: ${sockets ?? '?'} sockets, ${mqtt ?? '?'} MQTT connections, ${shares?.revoked ?? '?'} shares.
It stays suspended until \`resume --client-id ${clientId}\`. Then the new secret and key are
needed, which are not shown again.`,
      describeCreated(since, created.jobs, created.shares, session.columns),
    ].join('\n\n'),
    failures: [...steps.failures, ...again],
  };
}

/** Suspends the client and refuses what was issued until now. @throws Failure for an unknown client */
async function refuse(clientId: string): Promise<Partner> {
  const suspended = await suspendWithTokens(clientId, refusingUntil(Date.now()));
  if (!suspended) throw new Failure(noClient);
  return suspended;
}

async function originsOf(client: Partner): Promise<OriginOf> {
  const { partners } = await listOrganisations();
  return originsFor(
    client,
    partners.filter(({ organisation }) => organisation === client.organisation),
  );
}

/** Revokes the shares that the client made: their viewers are told, and closed. Those of unknown origin stay. */
async function revokeSharesOf(client: Partner, since: string) {
  const [stored, origin] = await Promise.all([
    readStoredShares(client.organisation, new Date().toISOString()),
    originsOf(client),
  ]);
  const own = stored.filter((share) => origin(share) === 'own');
  await allSettled(own.map(({ share }) => revoke(client, share.shareCode)));
  return { revoked: own.length, created: listCreatedShares(stored, since, origin) };
}

async function revoke({ organisation }: Partner, shareCode: string): Promise<void> {
  try {
    await revokeShare(organisation, shareCode, new Date().toISOString());
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Refusal) || error.code !== 'share_not_found') throw error;
  }
}
