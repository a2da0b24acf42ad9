import { ApiError, ConnectionError, DroneMissionClient, type Gap } from 'drone-mission-client';

const { BASE_URL: baseUrl, WS_URL: wsUrl, AFTER: after, PAUSE_MS = '0', PING_AFTER_MS = '60000' } = process.env;
const credentials = { clientId: 'client', clientSecret: 'secret', apiKey: 'key' };
const client = new DroneMissionClient({ baseUrl, wsUrl, ...credentials, pingAfterMs: Number(PING_AFTER_MS) });
const { jobs } = client;

const onGap = (gap: Gap) =>
  console.log('cursor' in gap ? `gap ${gap.cursor}` : `gap ${gap.subject} from ${gap.from} to ${gap.to}`);
const tellJob = ({ jobId }: { readonly jobId: string }) => console.log(`job ${jobId}`);

const calls: Record<string, () => Promise<unknown>> = {
  'get-job': async () => tellJob(await jobs.get('job-1')),
  'get-job-twice': async () => {
    tellJob(await jobs.get('job-1'));
    await new Promise((done) => setTimeout(done, Number(PAUSE_MS)));
    tellJob(await jobs.get('job-1'));
  },
  'create-job': async () => tellJob(await jobs.create({ name: 'Survey', deviceGroupId: 'group-1' })),
  'update-job': async () => tellJob(await jobs.update('job-1', { priority: 1 })),
  'update-version-3': async () => tellJob(await jobs.update('job-1', { priority: 1 }, { ifVersion: 3 })),
  'cancel-job': async () => tellJob(await jobs.cancel('job-1')),
  'send-command': async () => {
    const { command } = await client.devices.command('device-1', { name: 'PAUSE' });
    console.log(`command ${command.commandId}`);
  },
  'follow-job': async () => {
    const messages = jobs.follow('job-1', {
      after,
      onGap,
      onReconnect: () => console.log('lost'),
      onCommand: ({ commandId, status }) => console.log(`command ${commandId} ${status}`),
    });
    for await (const { jobState, sequence, replayed } of messages)
      console.log(`state ${jobState} ${sequence}${replayed ? ' replayed' : ''}`);
    console.log('ended');
  },
  'follow-events': async () => {
    for await (const event of client.events.follow({ after, onGap })) {
      console.log(`event ${event.type} ${event.cursor}`);
      if (event.type === 'job.status' && event.jobState === 'CANCELLED') break;
    }
  },
};

try {
  await calls[process.argv[2] ?? '']?.();
} catch (error) {
  if (error instanceof ConnectionError) console.log(error.problem);
  else if (!(error instanceof ApiError)) throw error;
  else
    console.log(`refused ${error.status}${error.retryAfterMs ? `, again after ${error.retryAfterMs / 1000} s` : ''}`);
}
