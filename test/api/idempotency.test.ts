import { randomUUID } from 'node:crypto';
import { clients, type Client } from './client';
import { fleetOf, invalidAt } from './given';

const [partner, colleague = partner] = clients('idempotency');

const create = (key: string, fields: object = {}, client: Client = partner) =>
  client.call('POST /v3/jobs/create', {
    headers: { 'idempotency-key': key },
    body: { name: 'Survey', deviceGroupId: fleetOf(partner).deviceGroupId, ...fields },
  });
const share = (key: string, fields: object = {}) =>
  partner.call('POST /v3/streams/share', {
    headers: { 'idempotency-key': key },
    body: { resourceId: fleetOf(partner).deviceId, shareType: 'STREAM', ...fields },
  });
const jobs = async (name: string) =>
  (await partner.call('GET /v3/jobs', { query: { limit: '100' } })).body.jobs.filter((job) => job.name === name);

describe('POST /v3/jobs/create with an Idempotency-Key', () => {
  test('makes one job of ten requests that come at once, and answers them all with it', async () => {
    const [key, name] = [randomUUID(), 'At once'];
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key, { name })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const [first] = answers;
    expect(answers.map(({ body }) => body)).toEqual(Array(10).fill(first?.body));
    expect((await jobs(name)).map(({ jobId }) => jobId)).toEqual([first?.body.job.jobId]);
  });

  test('repeats the first answer even after the job is deleted', async () => {
    const key = randomUUID();
    const first = await create(key, { name: 'Later' });
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId: first.body.job.jobId } });
    const again = await create(key.toUpperCase(), { name: 'Later' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await jobs('Later')).toEqual([]);
  });

  test('answers 400 to another body under the same key', async () => {
    const key = randomUUID();
    const first = await create(key, { name: 'First body' });
    expect(await create(key, { name: 'Other body' })).toMatchObject(
      invalidAt('Idempotency-Key', 'has been used with another body'),
    );
    expect(await jobs('Other body')).toEqual([]);
    expect((await create(key, { name: 'First body' })).body).toEqual(first.body);
  });

  test('takes bodies for equal whatever their defaults and the order of their fields', async () => {
    const key = randomUUID();
    const { body } = await create(key, { name: 'Same' });
    expect((await create(key, { priority: 5, name: 'Same' })).body).toEqual(body);
  });

  test('accepts one of two bodies that are sent at once under one key', async () => {
    const key = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create(key, { name: `Rival ${index % 2}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(5).fill(201),
      ...Array<number>(5).fill(400),
    ]);
    expect([...(await jobs('Rival 0')), ...(await jobs('Rival 1'))]).toHaveLength(1);
  });

  test('separates the keys of two clients of an organisation', async () => {
    const key = randomUUID();
    const mine = await create(key, { name: 'Mine' });
    const theirs = await create(key, { name: 'Theirs' }, colleague);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.job.jobId).not.toBe(mine.body.job.jobId);
  });

  test('stores no key of a refused request', async () => {
    const key = randomUUID();
    expect((await create(key, { name: 'Refused', priority: 0 })).status).toBe(400);
    expect((await create(key, { name: 'Refused', deviceGroupId: 'none' })).status).toBe(404);
    expect((await create(key, { name: 'Refused' })).status).toBe(201);
  });

  test.each(['1', 'not-a-uuid', `${randomUUID()}0`, 'x'.repeat(100)])(
    'answers 400 to a key that is no UUID: %s',
    async (key) => {
      expect(await create(key, { name: 'No UUID' })).toMatchObject(invalidAt('Idempotency-Key', 'must be a UUID'));
      expect(await jobs('No UUID')).toEqual([]);
    },
  );
});

describe('POST /v3/streams/share with an Idempotency-Key', () => {
  test('makes one share of ten requests that come at once, and answers them all with it', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => share(key)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(10).fill([201, answers[0]?.body]));
    expect((await partner.call('GET /v3/shares')).body.count).toBe(1);
  });

  test('answers 400 to another body under the same key', async () => {
    const key = randomUUID();
    await share(key);
    expect(await share(key, { maxViewers: 2 })).toMatchObject(invalidAt('Idempotency-Key'));
  });

  test('separates the keys of endpoints', async () => {
    const key = randomUUID();
    expect([(await create(key)).status, (await share(key)).status]).toEqual([201, 201]);
  });
});
