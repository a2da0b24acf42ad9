import { setTimeout as pause } from 'node:timers/promises';
import type { FaultsFile } from 'cloud-assembly-runner';
import { decodeJwt } from 'jose';
import { GetQueueAttributesCommand, ListQueuesCommand } from '@aws-sdk/client-sqs';
import { clients, send } from '../api/client';
import { keepConnections } from '../channels/after-tests';
import { writeDuring, expectSuccessOrInternalError, type Recovery, type Trial, RECOVERED_WITHIN_MS } from './drill';
import { fleetOf, givenJob, givenShare } from '../api/given';
import { connectionsOf } from '../channels/changed-tokens';
import { seatsTaken } from '../channels/seats';
import { follow, type Socket, tryToFollow, type Handshake } from '../channels/socket';
import { ask, openTelemetry, subscribeTo, tryToWatch, watch } from '../channels/telemetry-socket';
import { until } from '../channels/until';
import { injectFaults } from './inject-faults';
import { waitingCallsOf } from '../api/waiting-seats';
import { queues } from '../api/stack/aws-access';
import { publishPlatformEvent } from '../channels/platform-bus';
import { viewersOf } from './recovery';

const PAIRS = 6;

/** Lets sockets go on with a new token during a fault. Each goes on with one of its tokens, and none loses its seat. */
const authenticateDuring: Trial = async (partner, faults) => {
  const { deviceId } = fleetOf(partner);
  const { jobId } = await givenJob(partner);
  const opened: Socket[] = [];
  for (let count = 0; count < PAIRS; count++) {
    const telemetry = await openTelemetry(partner);
    await subscribeTo(telemetry, { deviceId });
    opened.push(await follow(partner, { kind: 'job', id: jobId }), telemetry);
  }
  await Promise.all(opened.map((socket) => socket.first(1)));
  const [first, second] = [await partner.token(), await partner.newToken()];

  injectFaults(faults);
  const answers = await Promise.all(opened.map((socket) => ask(socket, { action: 'authenticate', token: second })));
  injectFaults({});

  for (const answer of answers) expect(['authenticated', 'internal_error']).toContain(answer['code'] ?? answer['type']);
  const ends = (await connectionsOf(partner)).map(({ expiresAt }) => expiresAt);
  for (const end of ends) expect([first, second].map((token) => decodeJwt(token).exp)).toContain(end);
  expect(await seatsTaken(partner)).toBe(opened.length);
  const again = await Promise.all(opened.map((socket) => ask(socket, { action: 'authenticate', token: second })));
  expect(again.map((answer) => answer['type'])).toEqual(opened.map(() => 'authenticated'));
  await Promise.all(opened.map((socket) => socket.close()));
  return async () => {
    const isFree = async () => ((await seatsTaken(partner)) === 0 ? true : undefined);
    await until('releasing all seats', isFree, undefined, RECOVERED_WITHIN_MS);
  };
};

/** Lets calls wait for events that can't give their seats back. */
const waitDuring: Trial = async (partner, faults) => {
  const waitFor = (wait: string) => partner.call('GET /v3/events', { query: { wait } });
  const fiveWaitFor = (wait: string) => Promise.all(Array.from({ length: 5 }, () => waitFor(wait)));
  const waiting = fiveWaitFor('20');
  await until('the fifth', async () => ((await waitingCallsOf(partner)) === 5 ? true : undefined));
  injectFaults(faults);
  expect((await waiting).map(({ status }) => status)).toEqual(Array(5).fill(500));
  injectFaults({});
  expect(await waitingCallsOf(partner)).toBe(5);
  return async () => {
    const again = await until('five free seats', async () => {
      const statuses = (await fiveWaitFor('1')).map(({ status }) => status);
      if (!statuses.includes(429)) return statuses;
      // 120 calls a minute are admitted.
      await pause(2000);
      return undefined;
    });
    expect(again).toEqual(Array(5).fill(200));
  };
};

/** How many reports wait in the queue for their first retry. */
async function delayed(): Promise<number> {
  const { QueueUrls = [] } = await queues().send(new ListQueuesCommand());
  const QueueUrl = QueueUrls.find((url) => /PlatformIntegrationInboundEvents(?!Failures)/.test(url));
  const AttributeNames = ['ApproximateNumberOfMessagesDelayed' as const];
  const { Attributes } = await queues().send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
  return Number(Attributes?.['ApproximateNumberOfMessagesDelayed']);
}

/** Reports a status that can't be applied at once: it is applied from the queue. */
const reportDuring: Trial = async (partner, faults) => {
  const { jobId } = await givenJob(partner);
  injectFaults(faults);
  await publishPlatformEvent(
    'job.status.reported',
    { jobId, status: 'QUEUED', at: new Date().toISOString() },
    new Date(),
  );
  await until('a report in the queue', async () => ((await delayed()) === 1 ? true : undefined));
  injectFaults({});
  const read = async () => (await partner.call('GET /v3/jobs/{jobId}', { path: { jobId } })).body.job;
  expect(await read()).toMatchObject({ status: 'PENDING', version: 1 });
  return async () => {
    const applied = async () => {
      await pause(500);
      return (await read()).status === 'QUEUED' ? true : undefined;
    };
    await until('the report', applied, undefined, 100_000);
    expect(await read()).toMatchObject({ version: 2 });
  };
};

/** Handshakes of each kind during the fault. */
const HANDSHAKES = 10;

/** Lets sockets connect and disconnect during a fault. The partner's seats are of these sockets only. */
const connectDuring: Trial = async (partner, faults) => {
  const { jobId } = await givenJob(partner);
  const channel = { kind: 'job', id: jobId } as const;
  const { shareCode } = await givenShare(partner, { maxViewers: 2 * HANDSHAKES });
  const before = await Promise.all([
    ...Array.from({ length: HANDSHAKES }, () => follow(partner, channel)),
    openTelemetry(partner),
    watch(shareCode),
    watch(shareCode),
  ]);
  const stays = await watch(shareCode);
  await until('counting three viewers', async () => ((await viewersOf(partner, shareCode)) === 3 ? true : undefined));

  injectFaults(faults);
  const handshakes = await Promise.all(
    Array.from({ length: HANDSHAKES }, () => [tryToFollow(partner, channel), tryToWatch(shareCode)]).flat(),
  );
  // Accepted, or refused with a server error; never with 429 or another final refusal.
  for (const { status } of handshakes) expect([101, 500, 502]).toContain(status);
  for (const { socket } of [...before.map((socket): Handshake => ({ status: 101, socket })), ...handshakes])
    socket?.socket.terminate();
  await pause(2000);
  injectFaults({});

  return async () => {
    // The viewer reconnects when it is closed.
    let viewer = stays;
    const isCounted = async () => {
      if (viewer.socket.readyState > 1) viewer = await watch(shareCode);
      if ((await viewersOf(partner, shareCode)) === 1) return true;
      await pause(500);
      return undefined;
    };
    const isFree = async () => {
      if ((await seatsTaken(partner)) === 0) return true;
      await pause(500);
      return undefined;
    };
    await until('releasing all seats', isFree, undefined, RECOVERED_WITHIN_MS);
    await until('counting one viewer', isCounted, () => viewersOf(partner, shareCode), RECOVERED_WITHIN_MS);
  };
};

/** Asks for tokens while no answer can be known: with the right secret and with a wrong one. */
const askForTokensDuring: Trial = async ({ credentials }, faults) => {
  const { clientId, clientSecret, apiKey } = credentials;
  const requestToken = (secret: string) =>
    send('POST', '/v3/auth/token', {
      headers: { 'x-api-key': apiKey },
      body: { grant_type: 'client_credentials', client_id: clientId, client_secret: secret },
    });
  injectFaults(faults);
  const answers = [await requestToken(clientSecret), await requestToken('wrong')];
  injectFaults({});
  for (const answer of answers) {
    expect(answer.status).toBe(500);
    expectSuccessOrInternalError(answer);
  }
  return async () => {
    expect(await requestToken(clientSecret)).toMatchObject({ status: 200 });
    expect(await requestToken('wrong')).toMatchObject({ status: 401 });
  };
};

interface Kind {
  /** What partners see while a fault lasts, and once it has ended. */
  readonly meanwhile: string;
  readonly afterwards: string;
  readonly trial: Trial;
  /** Each trial has a client, in turn: limits count per client. */
  readonly partners: ReturnType<typeof clients>;
  /** Faults from which partners have recovered moments after their end. */
  readonly faults?: Readonly<Record<string, FaultsFile>>;
  /** Faults whose traces are removed by what happens once a minute, or later. */
  readonly lasting?: Readonly<Record<string, FaultsFile>>;
}

/** A fault of EventBridge, SQS and Scheduler alike. */
const integrations = (fault: NonNullable<FaultsFile['sqs']>): FaultsFile => ({
  events: fault,
  sqs: fault,
  scheduler: fault,
});
const dynamodbIsDown = { dynamodb: { down: true } };

const kinds: readonly Kind[] = [
  {
    meanwhile: 'acknowledged writes are stored, and all others are answered with 500',
    afterwards: 'each follower has the last state, in order, and nobody else has anything',
    trial: writeDuring,
    partners: clients('write-faults'),
    faults: {
      'DynamoDB throttles 30 % of calls': { dynamodb: { throttled: 0.3 } },
      'DynamoDB throttles all calls': { dynamodb: { throttled: 1 } },
      'DynamoDB answers 300 ms late': { dynamodb: { slowMs: 300 } },
      'DynamoDB times out after it has written': { dynamodb: { slowMs: 2500 } },
      'DynamoDB is down': dynamodbIsDown,
      'DynamoDB has conflicts in 30 % of writes': { dynamodb: { conflicting: 0.3 } },
      'stream batches arrive twice': { streams: { repeated: true } },
      'stream batches arrive two seconds late': { streams: { lateMs: 2000 } },
      'stream batches arrive twice and late': { streams: { repeated: true, lateMs: 500 } },
      'any function is killed while running': { functions: { killed: { share: 0.2 } } },
      'the fan-out is killed while running': { functions: { killed: { name: 'RealtimeFanOut', share: 0.5 } } },
      'Cognito is down': { cognito: { down: true } },
      'EventBridge refuses half of the events': { events: { failingEntries: 0.5 } },
      'EventBridge, SQS and Scheduler fail at half of the calls': integrations({ failing: 0.5 }),
      'EventBridge, SQS and Scheduler are down': integrations({ down: true }),
      'EventBridge, SQS and Scheduler are slow': integrations({ slowMs: 500 }),
      'AWS IoT accepts half of the messages': { iot: { failing: 0.5 } },
      'AWS IoT accepts no messages': { iot: { failing: 1 } },
      'AWS IoT times out': { iot: { slowMs: 2500 } },
      '@connections times out': { connections: { slowMs: 2500 } },
    },
    lasting: {
      // A socket that missed a message can't be closed either, until the heartbeat does it after a minute.
      '@connections accepts half of the messages': { connections: { failing: 0.5 } },
      '@connections accepts no messages': { connections: { failing: 1 } },
    },
  },
  {
    meanwhile: 'sockets connect or are refused with a server error, and disconnect',
    afterwards: 'all seats and viewer counts are correct within two minutes',
    trial: connectDuring,
    partners: clients('seat-faults'),
    lasting: {
      'DynamoDB is down': dynamodbIsDown,
      '@connections fails': { connections: { failing: 1 } },
      'functions are killed while running': { functions: { killed: { share: 0.5 } } },
    },
  },
  {
    meanwhile: 'each socket goes on with one of its tokens, and none loses its seat',
    afterwards: 'all seats are released',
    trial: authenticateDuring,
    partners: clients('authenticate-faults'),
    faults: {
      'DynamoDB throttles 70 % of calls': { dynamodb: { throttled: 0.7 } },
      'DynamoDB is down': dynamodbIsDown,
    },
  },
  {
    meanwhile: 'token requests are answered with 500, not with wrong credentials',
    afterwards: 'they succeed',
    trial: askForTokensDuring,
    partners: clients('token-faults'),
    faults: { 'Cognito is down': { cognito: { down: true } } },
  },
  {
    meanwhile: 'calls of the feed that wait are answered with 500',
    afterwards: 'their seats are free when their wait is over',
    trial: waitDuring,
    partners: clients('long-poll-faults'),
    lasting: { 'DynamoDB is down': dynamodbIsDown },
  },
  {
    meanwhile: 'a report of the platform waits in the queue',
    afterwards: 'it is applied once',
    trial: reportDuring,
    partners: clients('platform-report-faults'),
    lasting: { 'DynamoDB is down': dynamodbIsDown },
  },
];

const trialsOf = (which: 'faults' | 'lasting') =>
  kinds.flatMap(({ [which]: faults = {}, partners, ...kind }) =>
    Object.entries(faults).map(([fault, settings], index) => {
      const partner = partners[index % partners.length] ?? partners[0];
      return { ...kind, fault, undergo: () => kind.trial(partner, settings) };
    }),
  );

test.each(trialsOf('faults'))('while $fault, $meanwhile, and then $afterwards', async ({ undergo }) => {
  const recover = await undergo();
  await recover();
});

describe('A fault that leaves traces', () => {
  const trials = trialsOf('lasting');
  /** What is left of each trial, and what it has led to. */
  const recoveries = new Map<(typeof trials)[number], Recovery>();
  let outcomes: ReadonlyMap<(typeof trials)[number], Promise<void>> | undefined;

  /** Waits for all recoveries at the same time: each waits for the same minutes of the clock. */
  function recoverAll(): NonNullable<typeof outcomes> {
    const begun = [...recoveries].map(([trial, recover]) => [trial, recover()] as const);
    // The test of a trial fails with it.
    for (const [, outcome] of begun) outcome.catch(() => undefined);
    return new Map(begun);
  }

  beforeAll(keepConnections);

  // One after the other, so what a fault leaves behind also meets those that follow it.
  test.each(trials)('while $fault, $meanwhile', async (trial) => {
    recoveries.set(trial, await trial.undergo());
  });

  test.each(trials)('after $fault, $afterwards', async (trial) => {
    const outcome = (outcomes ??= recoverAll()).get(trial);
    if (!outcome) throw new Error('there was no recovery, since its trial failed');
    await outcome;
  });
});
