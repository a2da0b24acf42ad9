import type { APIGatewayProxyEvent } from 'aws-lambda';
import { Hono, type Context } from 'hono';
import { handle } from 'hono/aws-lambda';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { createJob, getJob } from './job-service';

type Environment = { Bindings: { event: APIGatewayProxyEvent } };

const app = new Hono<Environment>();

const send = (context: Context<Environment>, { status, headers, body }: Awaited<ReturnType<typeof getJob>>) =>
  context.json(body, status as ContentfulStatusCode, { ...headers });

app.get('/v3/jobs/:jobId', async (context) =>
  send(context, await getJob(context.env.event, context.req.param('jobId'))),
);
app.post('/v3/jobs/create', async (context) =>
  send(context, await createJob(context.env.event, await context.req.json())),
);

/** The endpoints written with Hono. */
export const handler = handle(app);
