import { readOpenSockets } from '../../data/channels/connections';
import { readMqttClients, readTopics } from '../../data/channels/subscriptions';
import { jobsCreatedSince, type CreatedJob } from '../../data/jobs/created-jobs';
import { organisationId } from '../../domain/values/id';
import { apiKeyIds, type Partner } from '../../domain/access/partner';
import type { Report } from '../program/run-program';
import { expectClient } from '../deployment/expect-client';
import type { Session } from '../deployment/session';
import { type Flags, readClientId } from './command-line';
import { description } from './description';
import { limitsOf } from './limits';

const DAY_MS = 24 * 60 * 60_000;
const LAST_JOBS = 10;

/** Shows a client: what it may do, what it has open, and what it created within a day. Of its keys their number only. */
export async function showClient(flags: Flags, session: Session): Promise<Report> {
  const clientId = readClientId(flags);
  await session.connect();
  session.progress('reading the client');
  const client = await expectClient(clientId);
  const now = Date.now();
  const [sockets, mqttClients, topics, jobs] = await Promise.all([
    readOpenSockets(clientId, now / 1000),
    readMqttClients(clientId),
    readTopics(clientId, now),
    lastJobsOf(client, new Date(now - DAY_MS).toISOString()),
  ]);
  const { tokensFrom } = client;
  const facts = {
    clientId,
    organisationId: organisationId(client.organisation),
    name: client.name,
    status: client.status,
    scopes: client.scopes.join(' '),
    apiKeys: apiKeyIds(client).length,
    createdAt: client.createdAt,
    tokensFrom: tokensFrom === undefined ? undefined : new Date(tokensFrom * 1000).toISOString(),
    openSockets: sockets.length,
    mqttClients: mqttClients.length,
    mqttSubscriptions: topics.length,
  };
  const limits = limitsOf(client);
  return {
    json: { ...facts, limits, jobs },
    text: description(
      Object.entries(facts),
      [
        'Limits',
        limits.map(({ operation, perMinute, isOwn }) => [operation, `${perMinute} a minute`, isOwn ? 'its own' : '']),
      ],
      ['Jobs created within a day', jobs.map(({ jobId, name, status, createdAt }) => [jobId, name, status, createdAt])],
    ),
  };
}

async function lastJobsOf(
  { clientId, organisation }: Partner,
  since: string,
): Promise<Omit<CreatedJob, 'createdBy'>[]> {
  const found: Omit<CreatedJob, 'createdBy'>[] = [];
  for await (const page of jobsCreatedSince(organisation, since)) {
    for (const { createdBy, ...job } of page) if (createdBy === clientId) found.push(job);
    if (found.length >= LAST_JOBS) break;
  }
  return found.slice(0, LAST_JOBS);
}
