import * as fc from 'fast-check';

/** Selects one of the latest resources: of the caller's organisation, of another one, or an unknown id. */
export interface Target {
  readonly pick: number;
  readonly whose: 'own' | 'foreign' | 'unknown';
}

const statuses = ['PENDING', 'QUEUED', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

const whose = fc.oneof(
  { weight: 20, arbitrary: fc.constant('own' as const) },
  { weight: 2, arbitrary: fc.constant('foreign' as const) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);

const target: fc.Arbitrary<Target> = fc.record({ pick: fc.nat(2), whose });

/** Common transitions are more frequent than invalid ones. */
const status = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('QUEUED', 'IN_PROGRESS') },
  { weight: 2, arbitrary: fc.constantFrom(...statuses) },
);

const fields = {
  name: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text.isWellFormed()),
  description: fc.string({ maxLength: 20 }),
  priority: fc.integer({ min: 1, max: 10 }),
  metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.oneof(fc.integer(), fc.string(), fc.boolean()), {
    maxKeys: 3,
    noNullPrototype: true,
  }),
};

const kindOfChannel = fc.constantFrom(
  'job' as const,
  'job' as const,
  'job' as const,
  'group' as const,
  'share' as const,
);
const over = fc.constantFrom('MQTTS' as const, 'WSS' as const);

/** All operations, with weight and input. */
const operationInputs = {
  'create job': [
    6,
    fc.record(
      { ...fields, whose, device: fc.boolean(), key: fc.option(fc.nat(2), { freq: 4 }) },
      {
        requiredKeys: ['name', 'whose', 'device', 'key'],
      },
    ),
  ],
  'get job': [8, fc.record({ target })],
  'patch job': [
    22,
    fc.record({
      target,
      change: fc.record({ ...fields, status }, { requiredKeys: [] }),
      ifMatch: fc.constantFrom('none' as const, 'none' as const, 'seen' as const, 'older' as const, 'any' as const),
    }),
  ],
  'cancel job': [3, fc.record({ target })],
  'delete job': [2, fc.record({ target })],
  'dispatch job': [3, fc.record({ atOnce: fc.constantFrom(1, 1, 3) })],
  'cancel dispatched job': [1, fc.record({ pick: fc.nat(5) })],
  'list jobs': [
    4,
    fc.record({
      limit: fc.option(fc.integer({ min: 1, max: 5 })),
      status: fc.option(fc.constantFrom(...statuses), { freq: 3 }),
    }),
  ],
  'bad request': [1, fc.record({ target })],
  'create share': [4, fc.record({ whose, device: fc.nat(2), maxViewers: fc.integer({ min: 1, max: 3 }) })],
  'get share': [4, fc.record({ target })],
  'list share resources': [3, fc.record({ target })],
  'revoke share': [3, fc.record({ target })],
  'end watched share': [
    1,
    fc.record({ device: fc.nat(2), viewers: fc.integer({ min: 1, max: 3 }), afterMs: fc.nat(900) }),
  ],
  'list shares': [3, fc.record({ limit: fc.option(fc.integer({ min: 1, max: 5 })) })],
  'list resources': [2, fc.record({})],
  follow: [9, fc.record({ target, kind: kindOfChannel, over })],
  unfollow: [4, fc.record({ pick: fc.nat(50) })],
  publish: [
    14,
    fc.record({
      target,
      /** The last number stands for both devices. */
      device: fc.nat(2),
      count: fc.integer({ min: 1, max: 4 }),
      as: fc.constantFrom(
        'in order' as const,
        'in order' as const,
        'in order' as const,
        'late' as const,
        'mixed' as const,
        'repeated' as const,
      ),
      forJob: fc.nat(3).map((number) => number > 0),
      isLarge: fc.nat(5).map((number) => number === 0),
      withRefused: fc.nat(5).map((number) => number === 0),
    }),
  ],
  subscribe: [
    3,
    fc.record({
      whose,
      to: fc.constantFrom('device' as const, 'group' as const),
      device: fc.nat(2),
      batch: fc.boolean(),
    }),
  ],
  unsubscribe: [2, fc.record({ pick: fc.nat(50) })],
  watch: [5, fc.record({ target })],
  'stop watching': [3, fc.record({ pick: fc.nat(50) })],
  // One in six with a time that is rejected: years before the job, or minutes ahead.
  'report status': [
    8,
    fc.record({ target, status, minutesAhead: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -20_000_000, 2) }),
  ],
  'send command': [
    8,
    fc.record({
      device: fc.nat(2),
      client: fc.nat(1),
      name: fc.oneof(
        { weight: 7, arbitrary: fc.constantFrom('PAUSE', 'RESUME', 'TAKE_PHOTO', 'GIMBAL', 'GO_TO') },
        { weight: 1, arbitrary: fc.constantFrom('RETURN_HOME', 'LAND') },
      ),
      repeat: fc.nat(5).map((number) => number === 0),
      atOnce: fc.constantFrom(1, 1, 1, 2),
    }),
  ],
  'steer as viewer': [
    2,
    fc.record({
      device: fc.nat(2),
      names: fc.array(fc.constantFrom('PAUSE', 'TAKE_PHOTO', 'GIMBAL'), { minLength: 1, maxLength: 3 }),
      isRevokedMeanwhile: fc.boolean(),
    }),
  ],
  'report telemetry': [3, fc.record({ count: fc.integer({ min: 1, max: 3 }) })],
} as const;

type OperationInputs = typeof operationInputs;
export type OperationName = keyof OperationInputs;

/** An operation with its input; `by` selects the organisation and its client. */
export type Operation = {
  readonly [Name in OperationName]: {
    readonly name: Name;
    readonly by: { readonly organisation: number; readonly client: number };
    readonly input: OperationInputs[Name][1] extends fc.Arbitrary<infer Input> ? Input : never;
  };
}[OperationName];

/** What a run is about: everything, or only one kind of fault, of which it then meets many. */
export const topics = ['everything', 'ending shares'] as const;
export type Topic = (typeof topics)[number];

/**
 * Weights of the operations of a run about ending shares: viewers come and go, so that numbers of them are on their way
 * at each end.
 */
const whileSharesEnd: Partial<Record<OperationName, number>> = {
  'create share': 4,
  'revoke share': 3,
  'end watched share': 20,
  'get share': 1,
  follow: 4,
  unfollow: 1,
  watch: 6,
  'stop watching': 5,
  publish: 4,
};

function arbitraryOf(name: OperationName, topic: Topic): { weight: number; input: fc.Arbitrary<unknown> } {
  const [weight, input] = operationInputs[name];
  if (topic === 'everything') return { weight, input };
  const about = name === 'follow' ? operationInputs.follow[1].map((one) => ({ ...one, kind: 'share' })) : input;
  return { weight: whileSharesEnd[name] ?? 0, input: about };
}

/**
 * Operations generated from a seed: the same seed, count and topic give the same operations.
 * @param organisations their number, each with `clients` clients
 */
export function generateOperations(
  seed: number,
  count: number,
  organisations: number,
  clients: number,
  topic: Topic = 'everything',
): Operation[] {
  const by = fc.record({ organisation: fc.nat(organisations - 1), client: fc.nat(clients - 1) });
  const each = (Object.keys(operationInputs) as OperationName[]).map((name) => {
    const { weight, input } = arbitraryOf(name, topic);
    return { weight, arbitrary: fc.record({ name: fc.constant(name), by, input }) };
  });
  return fc.sample(fc.oneof(...each), { seed, numRuns: count }) as Operation[];
}
