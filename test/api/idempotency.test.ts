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
  it('makes one job of ten requests that come at once, and answers them all with it', async () => {
    const [key, name] = [randomUUID(), 'At once'];
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(key, { name })));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
    const [first] = answers;
    expect(answers.map(({ body }) => body)).toEqual(Array(10).fill(first?.body));
    expect((await jobs(name)).map(({ jobId }) => jobId)).toEqual([first?.body.job.jobId]);
  });

  it('gives the first answer again later, whatever has become of the job', async () => {
    const key = randomUUID();
    const first = await create(key, { name: 'Later' });
    await partner.call('DELETE /v3/jobs/{jobId}', { path: { jobId: first.body.job.jobId } });
    const again = await create(key.toUpperCase(), { name: 'Later' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(await jobs('Later')).toEqual([]);
  });

  it('answers 400 to another body under the same key', async () => {
    const key = randomUUID();
    const first = await create(key, { name: 'First body' });
    expect(await create(key, { name: 'Other body' })).toMatchObject(
      invalidAt('Idempotency-Key', 'has been used with another body'),
    );
    expect(await jobs('Other body')).toEqual([]);
    expect((await create(key, { name: 'First body' })).body).toEqual(first.body);
  });

  it('takes the same body for the same whatever its defaults and the order of its fields', async () => {
    const key = randomUUID();
    const { body } = await create(key, { name: 'Same' });
    expect((await create(key, { priority: 5, name: 'Same' })).body).toEqual(body);
  });

  it('lets one of two bodies win that come at once under one key', async () => {
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

  it("keeps a key to the client, for a colleague's is another", async () => {
    const key = randomUUID();
    const mine = await create(key, { name: 'Mine' });
    const theirs = await create(key, { name: 'Theirs' }, colleague);
    expect([mine.status, theirs.status]).toEqual([201, 201]);
    expect(theirs.body.job.jobId).not.toBe(mine.body.job.jobId);
  });

  it('keeps no key of a request that was refused', async () => {
    const key = randomUUID();
    expect((await create(key, { name: 'Refused', priority: 0 })).status).toBe(400);
    expect((await create(key, { name: 'Refused', deviceGroupId: 'none' })).status).toBe(404);
    expect((await create(key, { name: 'Refused' })).status).toBe(201);
  });

  it.each(['1', 'not-a-uuid', `${randomUUID()}0`, 'x'.repeat(100)])(
    'answers 400 to a key that is no UUID: %s',
    async (key) => {
      expect(await create(key, { name: 'No UUID' })).toMatchObject(invalidAt('Idempotency-Key', 'must be a UUID'));
      expect(await jobs('No UUID')).toEqual([]);
    },
  );
});

describe('POST /v3/streams/share with an Idempotency-Key', () => {
  it('makes one share of ten requests that come at once, and answers them all with it', async () => {
    const key = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => share(key)));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(Array(10).fill([201, answers[0]?.body]));
    expect((await partner.call('GET /v3/shares')).body.count).toBe(1);
  });

  it('answers 400 to another body under the same key', async () => {
    const key = randomUUID();
    await share(key);
    expect(await share(key, { maxViewers: 2 })).toMatchObject(invalidAt('Idempotency-Key'));
  });

  it('keeps a key to the endpoint', async () => {
    const key = randomUUID();
    expect([(await create(key)).status, (await share(key)).status]).toEqual([201, 201]);
  });
});
