import { outboundEvents } from '../../../contract/platform/platform';
import { toItem } from '../../../data/jobs/job-item';
import { storeOnEngine } from '../../data/fixtures/engine';
import { acme, id, rival, sampleJob } from '../../domain/fixtures/samples';
import { consume, deadLetters, platformEvent, rejected } from '../fixtures/platform-events';

const engine = storeOnEngine('jobs', 'partners', 'requests');
const requestId = 'after-restart-7';
const numbered = (number: number, organisation = acme) => id('job', organisation, String(number).padStart(26, '0'));
const published = () =>
  rejected().map(([type, detail]) => outboundEvents[type as 'job.snapshot' | 'jobs.answered'].parse(detail));

beforeEach(async () => {
  const jobs = Array.from({ length: 23 }, (_, index) => sampleJob({ jobId: numbered(index) }));
  const ended = sampleJob({ jobId: numbered(99), status: 'COMPLETED' });
  await engine.put('jobs', ...[...jobs, ended].map((job) => toItem(acme, job)));
  await engine.put('jobs', toItem(rival, sampleJob({ jobId: numbered(1, rival), status: 'IN_PROGRESS' })));
  for (const organisation of [acme, rival])
    await engine.put('partners', { clientId: `org-${organisation}`, organisation, name: organisation, createdAt: 'x' });
});

test.each<[string, object, number]>([
  ['of one organisation', { organisationId: `org-${acme}` }, 23],
  ['of all organisations', {}, 24],
])('open jobs %s are published, and then how many there are', async (_, more, count) => {
  await consume(platformEvent('jobs.requested', { requestId, ...more }));
  const events = published();
  expect(events).toHaveLength(count + 1);
  expect(events.at(-1)).toMatchObject({ requestId, count });
  expect(new Set(events.map(({ eventId }) => eventId)).size).toBe(count + 1);
  const [first] = events;
  expect(first).toMatchObject({ requestId, status: 'PENDING', version: 3, at: sampleJob().updatedAt });
});

test.each<[string, object, string]>([
  ['without an id', {}, 'requestId'],
  ['with an id that is too long', { requestId: 'x'.repeat(257) }, 'requestId'],
  ['of no organisation of this service', { requestId, organisationId: 'acme' }, 'organisationId'],
])('a request %s is rejected', async (_, detail, path) => {
  const body = platformEvent('jobs.requested', detail);
  await consume(body);
  expect(deadLetters()).toEqual([[body, expect.stringMatching(new RegExp(`^${path} `))]]);
  expect(rejected()).toMatchObject([['report.rejected', { reason: 'malformed', details: [{ path }] }]]);
});
