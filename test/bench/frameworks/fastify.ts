import awsLambdaFastify from '@fastify/aws-lambda';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { createJob, getJob } from './job-service';

const app = fastify();

/** The adapter puts it there. */
const eventOf = (request: FastifyRequest) =>
  (request as FastifyRequest & { awsLambda: { event: APIGatewayProxyEvent } }).awsLambda.event;

const send = (reply: FastifyReply, { status, headers, body }: Awaited<ReturnType<typeof getJob>>) =>
  reply.status(status).headers(headers).send(body);

app.get<{ Params: { jobId: string } }>('/v3/jobs/:jobId', async (request, reply) =>
  send(reply, await getJob(eventOf(request), request.params.jobId)),
);
app.post('/v3/jobs/create', async (request, reply) => send(reply, await createJob(eventOf(request), request.body)));

/** The endpoints written with Fastify. */
export const handler = awsLambdaFastify(app);
