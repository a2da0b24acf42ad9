import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { callerContext } from '../../../contract/terms/caller';
import type { Scope } from '../../../contract/terms/scopes';
import { withLinks } from '../../../contract/terms/links';
import { createdJobReply, jobReply } from '../../../contract/jobs/jobs.schemas';
import { jobFromItem, jobKey, jobToItem } from '../../../data/jobs/jobs';
import { tableVariable, type TableName } from '../../../domain/values/table-names';
import { newId } from '../../../data/store/new-id';
import { jobRequest, newJob } from '../../../domain/jobs/job-request';
import { rateWindow } from '../../../domain/access/rate-window';
import { logger } from '../../../lambdas/runtime/logger';

const dynamodb = DynamoDBDocumentClient.from(new DynamoDBClient(), {
  marshallOptions: { removeUndefinedValues: true },
});
const table = (name: TableName) => process.env[tableVariable(name)];

const PER_MINUTE = 60;

/** What a framework sends. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/**
 * `GET /v3/jobs/{jobId}` for a framework: the checks, calls, JSON and log line of the service's own function, on the bare SDK.
 * @param event of API Gateway, with the authorizer's context
 */
export async function getJob(event: APIGatewayProxyEvent, jobId: string): Promise<Answer> {
  const { organisation, answer } = begin(event, 'command:read');
  const key = jobKey(jobId);
  const { Item } = await dynamodb.send(new GetCommand({ TableName: table('jobs'), Key: key, ConsistentRead: true }));
  const found = jobFromItem(Item);
  if (found?.owner !== organisation) throw new Error('Job not found');
  return answer(200, jobReply.parse(withLinks('job', { success: true, job: found.job })), {
    ETag: `"${found.job.version}"`,
  });
}

/** `POST /v3/jobs/create` for a framework; see {@link getJob}. @param body as the framework parsed it */
export async function createJob(event: APIGatewayProxyEvent, body: unknown): Promise<Answer> {
  const { organisation, clientId, startedAt, answer } = begin(event, 'command:create');
  const { calls, end } = await countCall(clientId, startedAt);
  const given = jobRequest.parse(body);
  const { deviceGroupId, deviceId } = given;
  const Keys = [deviceGroupId, deviceId].map((id) => ({ organisation, id }));
  const RequestItems = { [table('fleet') ?? '']: { Keys, ConsistentRead: true } };
  const { Responses } = await dynamodb.send(new BatchGetCommand({ RequestItems }));
  if (Responses?.[table('fleet') ?? '']?.length !== Keys.length) throw new Error('Device group not found');

  const now = new Date(startedAt).toISOString();
  const job = newJob(given, newId('job', organisation, now), now);
  const ConditionExpression = 'attribute_not_exists(jobId)';
  await dynamodb.send(
    new PutCommand({ TableName: table('jobs'), Item: jobToItem(organisation, job), ConditionExpression }),
  );
  return answer(201, createdJobReply.parse(withLinks('job', { success: true, job })), {
    'X-RateLimit-Limit': String(PER_MINUTE),
    'X-RateLimit-Remaining': String(PER_MINUTE - calls),
    'X-RateLimit-Reset': String(end),
  });
}

/** Authorises the caller, and returns it with a function that makes and logs the answer. */
function begin({ requestContext: { authorizer, requestId } }: APIGatewayProxyEvent, scope: Scope) {
  const startedAt = Date.now();
  const { clientId, organisation, scopes, expiresAt } = callerContext.parse(authorizer);
  if (expiresAt * 1000 <= startedAt || !scopes.split(' ').includes(scope)) throw new Error('Forbidden');
  const answer = (status: number, body: object, headers: Record<string, string>): Answer => {
    const durationMs = Date.now() - startedAt;
    logger.info('request', { endpoint: scope, status, durationMs, requestId, clientId, organisation });
    return { status, body, headers: { 'Cache-Control': 'no-store', 'x-request-id': requestId, ...headers } };
  };
  return { clientId, organisation, startedAt, answer };
}

/** Counts the call in its minute. */
async function countCall(clientId: string, startedAt: number) {
  const { start, end } = rateWindow(Math.floor(startedAt / 1000));
  const { Attributes } = await dynamodb.send(
    new UpdateCommand({
      TableName: table('requests'),
      Key: { id: `calls#${clientId}#${start}` },
      UpdateExpression: 'ADD calls :one SET #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(calls) OR calls < :most',
      ExpressionAttributeNames: { '#ttl': 'ttl' },
      ExpressionAttributeValues: { ':one': 1, ':most': PER_MINUTE, ':ttl': end },
      ReturnValues: 'UPDATED_NEW',
    }),
  );
  return { calls: Number(Attributes?.['calls']), end };
}
