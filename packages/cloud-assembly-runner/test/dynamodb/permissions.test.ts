import { dynamoDbPermissions, tableArn } from '../../dynamodb/permissions';

function permissions(operation: string, body: unknown): string[] {
  const call = {
    service: 'dynamodb',
    method: 'POST',
    path: '/',
    headers: { 'x-amz-target': `DynamoDB_20120810.${operation}` },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
  return dynamoDbPermissions(call).map(({ action, resource }) => `${action} ${resource}`);
}

describe('IAM permissions of a DynamoDB call', () => {
  test.each(['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable'])(
    'are %s on its table',
    (operation) => {
      expect(permissions(operation, { TableName: 'jobs' })).toEqual([`dynamodb:${operation} ${tableArn('jobs')}`]);
    },
  );

  test('are on the index of a query', () => {
    expect(permissions('Query', { TableName: 'jobs', IndexName: 'by-status' })).toEqual([
      `dynamodb:Query ${tableArn('jobs')}/index/by-status`,
    ]);
  });

  test('are on each table of a batch', () => {
    expect(permissions('BatchGetItem', { RequestItems: { jobs: {}, fleet: {} } })).toEqual([
      `dynamodb:BatchGetItem ${tableArn('jobs')}`,
      `dynamodb:BatchGetItem ${tableArn('fleet')}`,
    ]);
  });

  test('are those of the single operations of a transaction', () => {
    const TransactItems = [
      { Put: { TableName: 'jobs' } },
      { Update: { TableName: 'fleet' } },
      { Delete: { TableName: 'jobs' } },
      { ConditionCheck: { TableName: 'fleet' } },
    ];
    expect(permissions('TransactWriteItems', { TransactItems })).toEqual([
      `dynamodb:PutItem ${tableArn('jobs')}`,
      `dynamodb:UpdateItem ${tableArn('fleet')}`,
      `dynamodb:DeleteItem ${tableArn('jobs')}`,
      `dynamodb:ConditionCheckItem ${tableArn('fleet')}`,
    ]);
    expect(permissions('TransactGetItems', { TransactItems: [{ Get: { TableName: 'jobs' } }] })).toEqual([
      `dynamodb:GetItem ${tableArn('jobs')}`,
    ]);
  });

  test.each([
    ['ListTables', {}],
    ['GetItem', 'not json'],
    ['TransactWriteItems', { TransactItems: [{ Put: {} }] }],
  ])('are on * for %s with %j, which name no table', (operation, body) => {
    expect(permissions(operation, body)).toEqual([`dynamodb:${operation} *`]);
  });
});
