import type { FaultsFile } from 'cloud-assembly-runner';
import { clients } from '../api/client';
import { keepConnections } from '../channels/after-tests';
import { authenticateDuring } from './authenticate';
import { writeDuring } from './drill';
import { waitDuring } from './long-polls';
import { reportDuring } from './platform-reports';
import { connectDuring } from './seats';
import { askForTokensDuring } from './tokens';
import type { Recovery, Trial } from './trial';

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
