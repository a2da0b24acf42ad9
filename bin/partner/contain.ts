import * as z from 'zod';
import { listOrganisations } from '../../data/access/organisations';
import { suspendWithTokens, replaceApiKeys } from '../../data/access/partners';
import { storeRevocation } from '../../data/shares/shares';
import { readStoredShares } from '../../data/shares/stored-shares';
import { refusingUntil, type Partner, apiKeyIds } from '../../domain/access/partner';
import { Refusal } from '../../domain/values/refusal';
import { Failure, reasonOf, UsageError } from '../command-line/errors';
import { printable } from '../command-line/terminal';
import type { Report } from '../program/run-program';
import { flushAuthorizerCache } from '../deployment/authorizer-cache';
import type { Session } from '../deployment/session';
import type { Flags } from './command-line';
import { describeCreated, listCreatedJobs, listCreatedShares, originsFor, type OriginOf } from './created-since';
import { syncOrganisationStatus, tellPlatform } from './organisation';
import { allSettled, Rollback } from './rollback';
import { expectClient, noClient } from '../deployment/expect-client';
import { readClientId } from './selected-clients';
import { readOpenSockets } from '../../data/channels/connections';
import { endMqttConnection } from '../../data/channels/iot-data-plane';
import { deleteConnection, HANDSHAKE_RETRY_DELAYS_MS } from '../../data/channels/sockets';
import { readMqttClients } from '../../data/channels/subscriptions';
import { organisationId } from '../../domain/values/id';
import type { Deployment } from '../deployment/deployment';
import { createApiKey, deleteApiKey, addSecret, deleteSecret, listSecretIds } from './credentials';

/** Closes the sockets of a client. @returns how many there were */
async function closeSockets(clientId: string): Promise<number> {
  const sockets = await readOpenSockets(clientId, Date.now() / 1000);
  await allSettled(sockets.map((id) => deleteConnection(id, HANDSHAKE_RETRY_DELAYS_MS)));
  return sockets.length;
}

/**
 * Ends the MQTT connections of a client. AWS IoT lists none; they are known from its lifecycle events. One whose event
 * was lost ends when it subscribes (`lambdas/channels/count-subscriptions.lambda.ts`), or within five minutes, when AWS
 * IoT asks the authorizer again.
 * @returns how many MQTT clients were disconnected, or were gone already
 */
async function endMqttConnections(clientId: string): Promise<number> {
  const mqttClients = await readMqttClients(clientId);
  await allSettled(mqttClients.map(endMqttConnection));
  return mqttClients.length;
}

const DAY_MS = 24 * 60 * 60_000;

const moment = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);

/**
 * Reads the time of `--since`; without one it is a day ago.
 * @param now Unix ms
 * @returns ISO 8601 in UTC
 * @throws UsageError for another form, and for a time to come
 */
function readSince(given: string | undefined, now: number): string {
  if (given === undefined) return new Date(now - DAY_MS).toISOString();
  const read = moment.safeParse(given);
  if (!read.success) throw new UsageError('--since must be a time such as 2026-11-26T09:30:00Z');
  if (Date.parse(read.data) > now) throw new UsageError('--since must not be in the future');
  return new Date(read.data).toISOString();
}

/** Steps of which each is tried, whatever became of those before it. */
class Steps {
  readonly #session: Pick<Session, 'progress'>;
  readonly #failures: string[] = [];

  constructor(session: Pick<Session, 'progress'>) {
    this.#session = session;
  }

  /** What failed, and why: each in one line. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** @param what the step does, such as `closing sockets` @returns its result, or undefined when it failed */
  async run<Result>(what: string, step: () => Promise<Result>): Promise<Result | undefined> {
    this.#session.progress(what);
    try {
      return await step();
    } catch (error) {
      this.#failures.push(`${what} failed: ${reasonOf(error)}`);
      return undefined;
    }
  }
}

/**
 * Replaces all secrets of a client by a new one. Cognito keeps at most two and never deletes the last, so of two the
 * older goes first. Repeated after a failure, it leaves one secret too.
 * @returns the new secret
 */
async function replaceSecrets(deployment: Deployment, clientId: string): Promise<string> {
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
async function replaceKeys(deployment: Deployment, client: Partner): Promise<string> {
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

/**
 * Ends what a leaked secret or key gives access to, in seconds: first whatever lets its finder in, then what is open
 * already. The client stays suspended; resumed, it needs the new secret and key, and its old tokens stay refused. A
 * step that fails stops no other, and the command can be repeated.
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
    await storeRevocation(organisation, shareCode, new Date().toISOString());
  } catch (error) {
    // It has ended meanwhile.
    if (!(error instanceof Refusal) || error.code !== 'share_not_found') throw error;
  }
}
