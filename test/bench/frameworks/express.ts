import type { APIGatewayProxyEvent } from 'aws-lambda';
import express, { type Request, type Response } from 'express';
import serverless from 'serverless-http';
import { createJob, getJob } from './job-service';

const app = express();
// What the service does not send either.
app.disable('x-powered-by').disable('etag');
app.use(express.json());

/** The adapter puts it there. */
const eventOf = (request: Request) =>
  (request as Request & { apiGateway: { event: APIGatewayProxyEvent } }).apiGateway.event;

const send = (response: Response, { status, headers, body }: Awaited<ReturnType<typeof getJob>>) =>
  response.status(status).set(headers).json(body);

app.get('/v3/jobs/:jobId', async (request, response) => {
  send(response, await getJob(eventOf(request), request.params.jobId));
});
app.post('/v3/jobs/create', async (request, response) => {
  send(response, await createJob(eventOf(request), request.body));
});

/** The endpoints written with Express. */
export const handler = serverless(app);
