import { policiesIn } from '../../permissions';
import { stack, streamPermissions, testFunctions, type FunctionRows } from './function-row';

export const shareExpiryFunctions: FunctionRows = {
  'ShareExpiry/OnShareChange': {
    entry: 'stream/on-share-change',
    tables: {},
    more: [
      ...streamPermissions(['shares'], 'ShareExpiry/Failures'),
      ...['Create', 'Delete'].map((verb) => `scheduler:${verb}Schedule scheduler:schedule/${scheduleGroup()}/share-*`),
      'iam:PassRole ShareExpiry/Role',
      'events:PutEvents Platform/Bus',
    ],
    settings: [
      ...['EXPIRY_FAILURES_ARN', 'EXPIRY_FUNCTION_ARN', 'EXPIRY_ROLE_ARN', 'EXPIRY_SCHEDULE_GROUP', 'PLATFORM_BUS'],
      'DEAD_LETTER_QUEUE_URL',
    ],
    seconds: 60,
  },
  'ShareExpiry/ExpireShare': {
    entry: 'schedule/expire-share',
    tables: { shares: ['update', 'delete'] },
    more: ['sqs:SendMessage ShareExpiry/Failures'],
    seconds: 90,
  },
};

testFunctions(shareExpiryFunctions);

function scheduleGroup(): string {
  const [group] = Object.values(stack.byPath('AWS::Scheduler::ScheduleGroup'));
  return String(group?.Properties['Name']);
}

test('OnShareChange may pass its role only to EventBridge Scheduler', () => {
  const { Statement = [] } = policiesIn(stack)['ShareExpiry/OnShareChange/Role'] ?? {};
  const passed = Statement.filter(({ Action }) => Action === 'iam:PassRole');
  expect(passed.map(({ Condition }) => Condition)).toEqual([
    { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
  ]);
});
