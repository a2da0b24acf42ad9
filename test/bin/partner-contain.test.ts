import { DeleteConnectionCommand as CloseSocket } from '@aws-sdk/client-apigatewaymanagementapi';
import {
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  FlushStageAuthorizersCacheCommand,
} from '@aws-sdk/client-api-gateway';
import {
  AddUserPoolClientSecretCommand,
  DeleteUserPoolClientSecretCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { DeleteConnectionCommand as EndMqtt } from '@aws-sdk/client-iot-data-plane';
import { DeleteCommand, QueryCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { clientSeats, formatSeat, seatsKey } from '../../data/store/seats';
import { digestShareCode } from '../../data/shares/share-id';
import { firstIdAt, newShareCode } from '../../data/store/new-id';
import { tableNames } from '../../domain/values/table-names';
import { sockets } from '../data/fixtures/sockets';
import { storeOnEngine } from '../data/fixtures/engine';
import { store } from '../data/fixtures/store';
import { broker } from '../data/fixtures/topics';
import { sampleJob, sampleShare } from '../domain/fixtures/samples';
import { answerCalls, apiGateway, aws, cognito, partner, told } from './fixtures/aws';
import { denied, onboarded } from './fixtures/onboarded';

const engine = storeOnEngine(...tableNames);

const HOUR_MS = 3600_000;
const ago = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
const nowS = () => Math.floor(Date.now() / 1000);

interface Contained {
  clientSecret?: string;
  apiKey?: string;
  ended: object;
  created: { since: string; jobs: { jobId: string; origin: string }[]; shares: { shareId: string; origin: string }[] };
  failures: string[];
}

/** Contains a client. @returns exit code, errors and the printed JSON */
async function contain(clientId: string, ...words: string[]) {
  const { exitCode, printed, errorOutput } = await partner('contain', clientId, '--json', ...words);
  return { exitCode, errorOutput, ...(JSON.parse(printed) as Contained) };
}

const recordOf = (clientId: string) => engine.get('partners', { clientId });

const tagOf = async (clientId: string) => String((await recordOf(clientId))?.['organisation']);

/** Stores a job or a share of a client's organisation. @param createdBy the client that made it */
async function givenJob(clientId: string, hoursAgo: number, createdBy?: string) {
  const [organisation, createdAt] = [await tagOf(clientId), ago(hoursAgo)];
  const job = sampleJob({ jobId: `${firstIdAt('job', organisation, createdAt)}0000000000000000`, createdAt });
  await engine.put('jobs', { ...job, organisation, ...(createdBy !== undefined && { createdBy }) });
  return job.jobId;
}
async function givenShare(clientId: string, createdBy?: string) {
  const [organisation, createdAt] = [await tagOf(clientId), ago(1)];
  const share = sampleShare({ shareCode: newShareCode(organisation, createdAt), createdAt, expiresAt: ago(-1) });
  await engine.put('shares', { ...share, organisation, ...(createdBy !== undefined && { createdBy }) });
  return share.shareCode;
}
const sharesLeft = async () => (await engine.all('shares')).map(({ shareCode }) => shareCode);

const closedSockets = () => sockets.commandCalls(CloseSocket).map(({ args: [{ input }] }) => input.ConnectionId);
const endedMqtt = () => broker.commandCalls(EndMqtt).map(({ args: [{ input }] }) => input.clientId);

/** A client with a colleague in its organisation. */
async function twoClients() {
  const { clientId, organisationId } = (await onboarded()).first;
  const words = ['onboard', '--organisation-id', organisationId, '--client', 'colleague', '--scopes', 'all'];
  return { clientId, organisationId, colleague: (await onboarded(...words)).first.clientId };
}

describe('contain', () => {
  test('suspends the client and refuses its tokens before anything else', async () => {
    const { clientId } = (await onboarded()).first;
    store.resetHistory();
    const from = nowS();
    expect(await contain(clientId)).toMatchObject({ exitCode: 0, errorOutput: '', failures: [] });
    const record = await recordOf(clientId);
    expect(record).toMatchObject({ status: 'suspended' });
    expect(record?.['tokensFrom']).toBeGreaterThan(from);
    expect(store.calls()[0]?.args[0]).toBeInstanceOf(UpdateCommand);
  });

  test('refuses what Cognito issued for the old secret until that was deleted', async () => {
    const { clientId } = (await onboarded()).first;
    const deletedAt = Date.now() + 60_000;
    cognito.on(DeleteUserPoolClientSecretCommand).callsFake(() => {
      jest.spyOn(Date, 'now').mockReturnValue(deletedAt);
      return {};
    });
    await contain(clientId);
    jest.restoreAllMocks();
    expect((await recordOf(clientId))?.['tokensFrom']).toBe(Math.floor(deletedAt / 1000) + 1);
  });

  test('takes the client as a word or as an option, and says what is next to a person', async () => {
    const { clientId } = (await onboarded()).first;
    const { printed } = await partner('contain', '--client-id', clientId);
    expect(printed).toContain('client secret  second-secret');
    expect(printed).toContain(`It stays suspended until \`resume --client-id ${clientId}\``);
    expect(printed).toMatch(/Jobs created since \S+Z: none\n\nShares created since \S+Z, by digest: none\n$/);
  });

  test('leaves only the new secret and the new key, which it prints', async () => {
    const { clientId } = (await onboarded()).first;
    const [old] = [...aws.keys.keys()];
    const { clientSecret, apiKey } = await contain(clientId);
    const keys = [...aws.keys.keys()];
    expect({ clientSecret, apiKey, keys: keys.length }).toEqual({
      clientSecret: 'second-secret',
      apiKey: `value-of-${keys[0]}`,
      keys: 1,
    });
    expect(keys).not.toContain(old);
    expect(aws.clients.get(clientId)).toEqual([`${clientId}--2`]);
    expect(await recordOf(clientId)).toMatchObject({ apiKeyId: keys[0] });
  });

  test('replaces both secrets and both keys during a rotation', async () => {
    const { clientId } = (await onboarded()).first;
    await partner('rotate-key', '--client-id', clientId);
    await partner('rotate-secret', '--client-id', clientId);
    const before = [...aws.keys.keys()];
    await contain(clientId);
    const [key, ...others] = [...aws.keys.keys()];
    expect(others).toEqual([]);
    expect(before).not.toContain(key);
    const record = await recordOf(clientId);
    expect([record?.['apiKeyId'], record?.['newApiKeyId']]).toEqual([key, undefined]);
    expect(aws.clients.get(clientId)).toHaveLength(1);
  });

  test('flushes the cache of the authorizer, closes sockets and ends MQTT connections, of this client only', async () => {
    const { clientId, colleague } = await twoClients();
    const seat = (connectionId: string, expiresAt = nowS() + 900) =>
      formatSeat({ connectionId, openedAt: 1, expiresAt });
    const seats = (id: string, ...taken: string[]) => ({ ...seatsKey(clientSeats(id)), seats: new Set(taken) });
    const note = (id: string, connectionId: string) => ({
      channel: `mqtt#${id}`,
      connectionId,
      at: Date.now(),
      subscribed: false,
      ttl: nowS() + 3600,
    });
    await engine.put(
      'connections',
      seats(clientId, seat('one'), seat('two'), seat('over', nowS() - 1)),
      seats(colleague, seat('other')),
      note(clientId, `${clientId}-a `),
      note(colleague, `${colleague}-a `),
    );
    const { ended } = await contain(clientId);
    expect(ended).toEqual({ sockets: 2, mqttConnections: 1, shares: 0 });
    expect(new Set(closedSockets())).toEqual(new Set(['one', 'two']));
    expect(new Set(endedMqtt())).toEqual(new Set([`${clientId}-a`]));
    expect(apiGateway).toHaveReceivedCommandWith(FlushStageAuthorizersCacheCommand, {
      restApiId: 'api-1',
      stageName: 'live',
    });
    expect(await recordOf(colleague)).toMatchObject({ status: 'active' });
  });

  test('revokes the shares that the client made; those of others and of unknown origin stay', async () => {
    const { clientId, colleague } = await twoClients();
    const [own, others, unknown] = [
      await givenShare(clientId, clientId),
      await givenShare(clientId, colleague),
      await givenShare(clientId),
    ];
    const { ended, created } = await contain(clientId);
    expect(ended).toMatchObject({ shares: 1 });
    expect((await sharesLeft()).sort()).toEqual([others, unknown].sort());
    const listed = Object.fromEntries(created.shares.map(({ shareId, origin }) => [shareId, origin]));
    expect(listed).toEqual({ [digestShareCode(own)]: 'own', [digestShareCode(unknown)]: 'unknown' });
  });

  test('revokes shares of unknown origin of an organisation that has only this client', async () => {
    const { clientId } = (await onboarded()).first;
    await givenShare(clientId);
    expect((await contain(clientId)).ended).toMatchObject({ shares: 1 });
    expect(await sharesLeft()).toEqual([]);
  });

  test('lists the jobs that the client created since a time, by default a day ago', async () => {
    const { clientId, colleague } = await twoClients();
    const [recent, early, unknown] = [
      await givenJob(clientId, 2, clientId),
      await givenJob(clientId, 23, clientId),
      await givenJob(clientId, 3),
    ];
    await givenJob(clientId, 25, clientId);
    await givenJob(clientId, 1, colleague);
    const jobs = async (...words: string[]) =>
      (await contain(clientId, ...words)).created.jobs.map(({ jobId, origin }) => [jobId, origin]);
    expect(await jobs()).toEqual([
      [recent, 'own'],
      [unknown, 'unknown'],
      [early, 'own'],
    ]);
    expect(await jobs('--since', ago(2.5))).toEqual([[recent, 'own']]);
  });

  test('suspends the organisation with its last active client, and tells the platform', async () => {
    const { clientId, organisationId } = (await onboarded()).first;
    await contain(clientId);
    expect(await recordOf(organisationId)).toMatchObject({ status: 'suspended' });
    expect(told().at(-1)).toMatchObject(['organisation.changed', { organisationId, status: 'suspended' }]);
  });

  test('keeps old tokens refused when the client is resumed', async () => {
    const { clientId } = (await onboarded()).first;
    await contain(clientId);
    const tokensFrom = (await recordOf(clientId))?.['tokensFrom'];
    await partner('resume', '--client-id', clientId);
    expect(await recordOf(clientId)).toMatchObject({ status: 'active', tokensFrom });
  });
});

/** Calls that AWS refuses, by the step that needs them. */
const faults: [step: string, refuse: () => unknown][] = [
  ['suspending the client and refusing its tokens', () => refuseUpdates('tokensFrom')],
  ['ending REST calls', () => apiGateway.on(FlushStageAuthorizersCacheCommand).rejects(denied)],
  ['closing sockets', () => sockets.on(CloseSocket).rejects(denied)],
  ['ending MQTT connections', () => broker.on(EndMqtt).rejects(denied)],
  ['revoking its shares', () => store.on(DeleteCommand).rejects(denied)],
  ['replacing the secret', () => cognito.on(AddUserPoolClientSecretCommand).rejects(denied)],
  ['replacing the secret', () => cognito.on(DeleteUserPoolClientSecretCommand).rejects(denied)],
  ['replacing the API key', () => apiGateway.on(CreateUsagePlanKeyCommand).rejects(denied)],
  ['replacing the API key', () => apiGateway.on(DeleteApiKeyCommand).rejects(denied)],
  ['replacing the API key', () => refuseUpdates('SET #apiKeyId')],
  ['reading its jobs', () => store.on(QueryCommand, { TableName: 'jobs' }).rejects(denied)],
];

const update = engine.answers('UpdateCommand');
const refuseUpdates = (part: string) =>
  store.on(UpdateCommand).callsFake((input: UpdateCommandInput) => {
    if (input.UpdateExpression?.includes(part)) throw denied;
    return update(input);
  });

function mend(): void {
  answerCalls();
  store.on(UpdateCommand).callsFake(update);
  store.on(DeleteCommand).callsFake(engine.answers('DeleteCommand'));
  store.on(QueryCommand, { TableName: 'jobs' }).callsFake(engine.answers('QueryCommand'));
  sockets.on(CloseSocket).resolves({});
  broker.on(EndMqtt).resolves({});
}

describe.each(faults)('contain, when %s fails', (step, refuse) => {
  /** A client with something of everything. */
  async function given() {
    const { clientId } = (await onboarded()).first;
    await partner('rotate-key', '--client-id', clientId);
    await partner('rotate-secret', '--client-id', clientId);
    await givenShare(clientId, clientId);
    const seat = formatSeat({ connectionId: 'one', openedAt: 1, expiresAt: nowS() + 900 });
    const note = { at: Date.now(), subscribed: false, ttl: nowS() + 3600 };
    await engine.put(
      'connections',
      { ...seatsKey(clientSeats(clientId)), seats: new Set([seat]) },
      { channel: `mqtt#${clientId}`, connectionId: `${clientId}-a `, ...note },
    );
    return clientId;
  }

  test('does every other step, names it, and ends with exit code 1', async () => {
    const clientId = await given();
    refuse();
    const { exitCode, errorOutput, failures, ended } = await contain(clientId);
    expect(exitCode).toBe(1);
    expect(failures[0]).toMatch(new RegExp(`^${step} failed: AccessDeniedException: not authorized to do that`));
    expect(errorOutput).toContain(`partner: repeat \`contain ${clientId}\` until each step succeeds\n`);
    const steps = {
      'closing sockets': 'sockets',
      'ending MQTT connections': 'mqttConnections',
      'revoking its shares': 'shares',
    };
    const failed = (steps as Readonly<Record<string, string>>)[step];
    expect(ended).toEqual({ sockets: 1, mqttConnections: 1, shares: 1, ...(failed && { [failed]: undefined }) });
    if (!step.startsWith('suspending')) expect(await recordOf(clientId)).toMatchObject({ status: 'suspended' });
  });

  test('leaves nothing behind and locks nobody out when it is repeated', async () => {
    const clientId = await given();
    refuse();
    await contain(clientId);
    mend();
    const repeated = await contain(clientId);
    expect(repeated).toMatchObject({ exitCode: 0, clientSecret: 'second-secret', failures: [] });
    const [key, ...others] = [...aws.keys];
    expect(others).toEqual([]);
    expect(repeated.apiKey).toBe(`value-of-${key?.[0]}`);
    const record = await recordOf(clientId);
    expect(record).toMatchObject({ status: 'suspended', apiKeyId: key?.[0], tokensFrom: expect.any(Number) as number });
    expect(record).not.toHaveProperty('newApiKeyId');
    expect(aws.clients.get(clientId)).toHaveLength(1);
    expect(await sharesLeft()).toEqual([]);
  });
});
