/**
 * What Lambda does with an event that a function could not take: by default it repeats an error twice, and keeps an event that was
 * throttled for six hours (Lambda developer guide, "How Lambda handles errors and retries with asynchronous invocation").
 */
import { permissionsIn } from '../permissions';
import { smallTable, synthesise } from '../synthesised';

const stack = synthesise({ simulatedFleet: 'true' }, smallTable);
const { byPath } = stack;
const { nameOf, permissionsOf } = permissionsIn(stack);

interface Targets {
  readonly Target?: { readonly Arn: unknown };
  readonly Targets?: readonly { readonly Arn: unknown }[];
  readonly TopicRulePayload?: { readonly Actions: readonly { readonly Lambda: { readonly FunctionArn: unknown } }[] };
}

/** The functions that schedules, rules of a bus, rules of AWS IoT and other functions invoke. */
function invokedAsynchronously(): string[] {
  const sources = ['AWS::Scheduler::Schedule', 'AWS::Events::Rule', 'AWS::IoT::TopicRule'].flatMap((type) =>
    Object.values(byPath(type)).map(({ Properties }) => Properties as Targets),
  );
  const arns = sources.flatMap(({ Target, Targets = [], TopicRulePayload }) => [
    ...[Target, ...Targets].flatMap((target) => target?.Arn ?? []),
    ...(TopicRulePayload?.Actions ?? []).map((action) => action.Lambda.FunctionArn),
  ]);
  const ownFunctions = Object.keys(byPath('AWS::Lambda::Function')).map((path) => path.replace(/\/Function$/, ''));
  const byFunctions = ownFunctions
    .flatMap(permissionsOf)
    .flatMap((permission) => /^Allow lambda:InvokeFunction (.*)$/.exec(permission)?.[1] ?? []);
  return [...new Set([...arns.map(nameOf), ...byFunctions])].sort();
}

/** Limits of a function's events; without any, whether Lambda sends what it gives up to a dead-letter queue. */
function limitsOf(path: string): string {
  const config = Object.values(byPath('AWS::Lambda::EventInvokeConfig')).find(
    ({ Properties }) => nameOf(Properties['FunctionName']) === path,
  );
  const { MaximumEventAgeInSeconds: age, MaximumRetryAttempts: retries } = config?.Properties ?? {};
  if (config) return `${String(age)} s, ${String(retries)} retries`;
  const hasQueue = byPath('AWS::Lambda::Function')[path]?.Properties['DeadLetterConfig'] !== undefined;
  return hasQueue ? 'dead-letter queue' : 'none';
}

/** Why each has these limits is said where it is configured. */
const limits: Readonly<Record<string, string>> = {
  'PlatformIntegration/InboundEvents/ConsumePlatformEvents/Function': 'dead-letter queue',
  'Realtime/Heartbeat/Heartbeat/Function': '60 s, 0 retries',
  'Realtime/Mqtt/CountSubscriptions/Function': '3600 s, 2 retries',
  'Realtime/Reconcile/Reconcile/Function': '60 s, 0 retries',
  'Realtime/Snapshots/SendSnapshot/Function': '60 s, 0 retries',
  'SimulatedFleet/ConsumeJobEvents/Function': '3600 s, 2 retries',
  'SimulatedFleet/Fly/Function': '60 s, 0 retries',
};

test('a function that is invoked asynchronously says how old its events become, or keeps those that Lambda gives up', () => {
  expect(Object.fromEntries(invokedAsynchronously().map((path) => [path, limitsOf(path)]))).toEqual(limits);
});

test('every schedule of a function leaves repeating to the next run', () => {
  const schedules = Object.values(byPath('AWS::Scheduler::Schedule')).map(({ Properties }) => Properties['Target']);
  expect(schedules).toHaveLength(3);
  for (const target of schedules) expect(target).toMatchObject({ RetryPolicy: { MaximumRetryAttempts: 0 } });
});
