import { clients, type Client } from '../client';
import { fleetOf, foreignAt, givenJob, invalidAt, jobNow, nobodys } from '../given';
import { iso } from '../iso';

const [partner] = clients('update-job');
const [stranger] = clients('stranger');

const patch = (jobId: string, body: unknown, headers: Record<string, string> = {}, client: Client = partner) =>
  client.call('PATCH /v3/jobs/{jobId}', { path: { jobId }, body, headers });

describe('PATCH /v3/jobs/{jobId}', () => {
  let jobId: string;
  beforeEach(async () => {
    jobId = (await givenJob(partner, { description: 'Before', metadata: { old: true } })).jobId;
  });

  test('changes the given fields and answers with the job and its incremented version', async () => {
    const { status, headers, body } = await patch(jobId, { name: 'Renamed', description: 'After', priority: 9 });
    expect(status).toBe(200);
    const job = { jobId, name: 'Renamed', description: 'After', priority: 9, status: 'PENDING' };
    expect(body).toEqual({ success: true, job: { ...job, updatedAt: iso, version: 2 } });
    expect(headers.get('etag')).toBe('"2"');
    expect(await jobNow(partner, jobId)).toMatchObject({ ...job, metadata: { old: true }, version: 2 });
  });

  test('replaces metadata as a whole', async () => {
    expect((await patch(jobId, { metadata: { fresh: [1] } })).status).toBe(200);
    expect((await jobNow(partner, jobId)).metadata).toEqual({ fresh: [1] });
  });

  test('changes nothing for an empty body', async () => {
    const { status, body } = await patch(jobId, {});
    expect([status, body.job.version]).toEqual([200, 1]);
    expect((await jobNow(partner, jobId)).version).toBe(1);
  });

  test.each<[string, string, unknown]>([
    ['an empty name', 'name', ''],
    ['a name of 257 characters', 'name', 'n'.repeat(257)],
    ['a name that is null', 'name', null],
    ['a description of 4097 characters', 'description', 'd'.repeat(4097)],
    ['priority 0', 'priority', 0],
    ['priority 11', 'priority', 11],
    ['priority 1.5', 'priority', 1.5],
    ['an unknown status', 'status', 'DONE'],
    ['a status in lower case', 'status', 'queued'],
    ['metadata that is a list', 'metadata', []],
    ['metadata of more than 16 KiB', 'metadata', { note: 'x'.repeat(16_384) }],
  ])('answers 400, names the field and changes nothing for %s', async (_, field, value) => {
    expect(await patch(jobId, { priority: 2, [field]: value })).toMatchObject(invalidAt(field));
    expect(await jobNow(partner, jobId)).toMatchObject({ priority: 5, version: 1 });
  });

  test.each(['deviceGroupId', 'deviceId', 'missionId', 'scheduledAt', 'version', 'jobId', 'organisation'])(
    'answers 400 for %s, which cannot be changed',
    async (field) => {
      expect(await patch(jobId, { [field]: 'x' })).toMatchObject(
        invalidAt(field, expect.stringMatching(/^unknown field/)),
      );
    },
  );

  test('answers 404 for an unknown job', async () => {
    for (const unknown of ['none', nobodys(jobId), fleetOf(partner).deviceGroupId])
      for (const body of [{ priority: 2 }, {}, { status: 'PENDING' }, { status: 'QUEUED' }])
        expect(await patch(unknown, body)).toMatchObject({ status: 404, body: { error: 'Job not found' } });
  });

  test("answers 403 for another organisation's job, which does not change", async () => {
    for (const body of [{ priority: 2 }, {}, { status: 'PENDING' }, { status: 'QUEUED' }])
      expect(await patch(jobId, body, {}, stranger)).toMatchObject({ status: 403, body: foreignAt('jobId') });
    expect(await jobNow(partner, jobId)).toMatchObject({ priority: 5, status: 'PENDING', version: 1 });
  });

  describe('with If-Match', () => {
    test('changes a job of the named version, and of any version with *', async () => {
      expect(await patch(jobId, { priority: 2 }, { 'if-match': '"1"' })).toMatchObject({ status: 200 });
      expect(await patch(jobId, { priority: 3 }, { 'if-match': '"2"' })).toMatchObject({ status: 200 });
      const { body } = await patch(jobId, { priority: 4 }, { 'if-match': '*' });
      expect(body.job).toMatchObject({ priority: 4, version: 4 });
    });

    test.each(['"2"', '"0"', '"2", "3"', 'W/"1"', '""', '"x"', `"${'9'.repeat(30)}"`])(
      'answers 412 for %s when the version is 1, and changes nothing',
      async (tag) => {
        for (const body of [{ priority: 2 }, { status: 'QUEUED' }, {}, { status: 'PENDING' }]) {
          const { status, body: refusal } = await patch(jobId, body, { 'if-match': tag });
          expect([status, refusal]).toEqual([412, { error: 'Precondition failed' }]);
        }
        expect(await jobNow(partner, jobId)).toMatchObject({ priority: 5, status: 'PENDING', version: 1 });
      },
    );

    test.each(['1', '"1', 'x', '*, "1"'])('answers 400 for %s, which is no list of entity tags', async (tag) => {
      expect(await patch(jobId, { priority: 2 }, { 'if-match': tag })).toMatchObject(invalidAt('If-Match'));
    });

    test('changes a job of any listed version', async () => {
      expect(await patch(jobId, { priority: 2 }, { 'if-match': 'W/"1", "7", "1"' })).toMatchObject({ status: 200 });
    });

    test('answers 404 for an unknown job, whatever the version', async () => {
      for (const tag of ['"1"', 'W/"1"', '*', '"x"'])
        expect(await patch(nobodys(jobId), { priority: 2 }, { 'if-match': tag })).toMatchObject({
          status: 404,
          body: { error: 'Job not found' },
        });
    });

    test('succeeds for one of 20 concurrent requests with the same version', async () => {
      const asked = Array.from({ length: 20 }, (_, index) =>
        patch(jobId, { name: `n${index}` }, { 'if-match': '"1"' }),
      );
      const answers = await Promise.all(asked);
      const [winner, ...others] = answers.filter(({ status }) => status === 200);
      expect([others.length, answers.filter(({ status }) => status === 412).length]).toEqual([0, 19]);
      expect(await jobNow(partner, jobId)).toMatchObject({ name: winner?.body.job.name, version: 2 });
    });
  });

  test('applies all of 20 concurrent changes without If-Match', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => patch(jobId, { name: `n${index}` })));
    const versions = answers.map(({ body }) => body.job.version);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 2));
  });
});
