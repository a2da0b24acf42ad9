import { policiesIn } from '../../permissions';
import { consumePermissions, stack, streamPermissions, testFunctions, type FunctionRows } from './function-row';

export const shareExpiryFunctions: FunctionRows = {
  'ShareExpiry/OnShareChange': {
    entry: 'platform/on-share-change',
    tables: { commands: ['query', 'update'] },
    more: [
      ...streamPermissions(['shares'], 'ShareExpiry/Failures'),
      ...['Create', 'Delete'].map((verb) => `scheduler:${verb}Schedule scheduler:schedule/${scheduleGroup()}/share-*`),
      'iam:PassRole ShareExpiry/Role',
      'sqs:SendMessage ShareExpiry/Ends',
      'events:PutEvents Platform/Bus',
    ],
    settings: [
      'EXPIRY_FAILURES_ARN',
      'EXPIRY_ROLE_ARN',
      'EXPIRY_SCHEDULE_GROUP',
      'PLATFORM_BUS',
      'SHARE_END_QUEUE_ARN',
      'SHARE_END_QUEUE_URL',
      'DEAD_LETTER_QUEUE_URL',
    ],
    seconds: 60,
  },
  'ShareExpiry/ExpireShares': {
    entry: 'shares/expire-shares',
    tables: { shares: ['update', 'delete'] },
    more: [...consumePermissions('ShareExpiry/Ends'), 'sqs:SendMessage ShareExpiry/Ends'],
    settings: ['SHARE_END_QUEUE_URL'],
    seconds: 10,
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
