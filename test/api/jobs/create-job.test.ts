import { clients } from '../client';
import { fleetOf, givenJob, invalidAt, jobNow, nobodys } from '../given';
import { iso } from '../iso';

describe('POST /v3/jobs/create', () => {
  const [partner, second] = clients('create-job');
  const [stranger] = clients('stranger');
  const { deviceGroupId, deviceId, otherGroupId } = fleetOf(partner);

  const create = (fields: object) =>
    (second ?? partner).call('POST /v3/jobs/create', { body: { name: 'Survey', deviceGroupId, ...fields } });

  /** Metadata whose JSON has this many bytes. */
  const metadataOf = (bytes: number) => ({ note: 'x'.repeat(bytes - JSON.stringify({ note: '' }).length) });
  const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });

  test('answers 201 with the job: PENDING, priority 5', async () => {
    const before = Date.now();
    const { status, body } = await create({});
    expect(status).toBe(201);
    const { jobId } = body.job;
    expect(body).toEqual({
      success: true,
      job: {
        jobId,
        name: 'Survey',
        status: 'PENDING',
        priority: 5,
        deviceGroupId,
        createdAt: iso,
        links: { mqttTopic: `${jobId}/JOB/STATUS`, webSocketPath: `/v3/jobs/${jobId}/status/ws` },
      },
    });
    expect(Math.abs(Date.parse(body.job.createdAt) - before)).toBeLessThan(60_000);
  });

  test("assigns a job id with the organisation's tag", async () => {
    const [, tag] = partner.credentials.organisationId.split('-');
    expect((await givenJob(partner)).jobId).toMatch(new RegExp(`^job-${tag}-[0-9a-z]{26}$`));
  });

  test('stores every field', async () => {
    const fields = {
      description: 'Rim, then pit',
      missionId: 'mission-1',
      deviceId,
      priority: 10,
      metadata: { site: 'pit 4', legs: [1, 2.5, null], nested: { deep: true } },
    };
    const { jobId } = await givenJob(partner, { ...fields, scheduledAt: '2031-01-02T03:04:05+02:00' });
    expect(await jobNow(partner, jobId)).toMatchObject({ ...fields, scheduledAt: '2031-01-02T01:04:05.000Z' });
  });

  test.each([
    ['a name of 256 characters', { name: 'n'.repeat(256) }],
    ['a description of 4096 characters', { description: 'd'.repeat(4096) }],
    ['an empty description', { description: '' }],
    ['priority 1', { priority: 1 }],
    ['metadata of 16 KiB', { metadata: metadataOf(16_384) }],
    ['metadata of 32 levels', { metadata: nested(32) }],
    ['names in any script', { name: 'Карьер 採石場 🛩️' }],
    ['a name with a NUL', { name: 'a\u0000b' }],
    ['metadata with odd keys', { metadata: { '': 1, constructor: 2, 'a.b': 3, $set: 4, ':v': 5, '#n': 6 } }],
  ])('stores %s unchanged', async (_, fields) => {
    const { jobId } = await givenJob(partner, fields);
    expect(await jobNow(partner, jobId)).toMatchObject(fields);
  });

  test('refuses the metadata key __proto__ with its path', async () => {
    const { status, body } = await partner.call('POST /v3/jobs/create', {
      body: `{"name":"Survey","deviceGroupId":"${deviceGroupId}","metadata":{"__proto__":{"polluted":1}}}`,
    });
    const detail = { path: 'metadata.__proto__', message: 'is a name that programs lose: choose another' };
    expect([status, body]).toMatchObject([400, { error: 'invalid_request', details: [detail] }]);
  });

  test.each<[string, string, unknown]>([
    ['a missing name', 'name', undefined],
    ['an empty name', 'name', ''],
    ['a name of 257 characters', 'name', 'n'.repeat(257)],
    ['a name that is a number', 'name', 5],
    ['a name with a lone surrogate', 'name', 'a\ud800'],
    ['a missing device group', 'deviceGroupId', undefined],
    ['a device group that is null', 'deviceGroupId', null],
    ['a device group that is an object', 'deviceGroupId', { id: deviceGroupId }],
    ['a description of 4097 characters', 'description', 'd'.repeat(4097)],
    ['a description with a lone surrogate', 'description', '\udc00'],
    ['priority 0', 'priority', 0],
    ['priority 11', 'priority', 11],
    ['priority 1.5', 'priority', 1.5],
    ['priority as a string', 'priority', '5'],
    ['priority null', 'priority', null],
    ['a date without a time', 'scheduledAt', '2031-01-02'],
    ['a time without an offset', 'scheduledAt', '2031-01-02T03:04:05'],
    ['a date that does not exist', 'scheduledAt', '2031-02-30T03:04:05Z'],
    ['a word for a time', 'scheduledAt', 'tomorrow'],
    ['an empty mission', 'missionId', ''],
    ['a mission that is a list', 'missionId', ['m']],
    ['metadata that is a list', 'metadata', []],
    ['metadata that is a string', 'metadata', 'site'],
    ['metadata that is null', 'metadata', null],
    ['metadata of more than 16 KiB', 'metadata', metadataOf(16_385)],
    ['metadata of more than 16 KiB in few characters', 'metadata', { note: '€'.repeat(6000) }],
    ['metadata of 33 levels', 'metadata', nested(33)],
  ])('answers 400 and names the field for %s', async (_, field, value) => {
    expect(await create({ [field]: value })).toMatchObject(invalidAt(field));
  });

  test('names each of several faults, and unknown fields', async () => {
    const { status, body } = await create({ name: '', priority: 99, sheduledAt: 'x', status: 'QUEUED' });
    expect(status).toBe(400);
    expect(body.details?.map(({ path }) => path).sort()).toEqual(['name', 'priority', 'sheduledAt', 'status']);
    expect(body.details).toEqual(
      expect.arrayContaining([
        { path: 'name', message: 'must not be empty' },
        { path: 'priority', message: 'must be 10 or less' },
        { path: 'sheduledAt', message: 'unknown field; did you mean scheduledAt?' },
      ]),
    );
  });

  test.each(['jobId', 'organisation', 'version', 'createdAt'])('does not let the caller set %s', async (field) => {
    expect(await create({ [field]: 'mine' })).toMatchObject(invalidAt(field, expect.stringMatching(/^unknown field/)));
  });

  test.each([
    ['of another group', () => ({ deviceGroupId: otherGroupId, deviceId })],
    ['of another organisation', () => ({ deviceId: fleetOf(stranger).deviceId })],
    ['that is unknown', () => ({ deviceId: nobodys(deviceId) })],
    ['that is a group', () => ({ deviceId: deviceGroupId })],
  ])('answers 400 that names deviceId for a device %s', async (_, fields) => {
    expect(await create(fields())).toMatchObject(invalidAt('deviceId', 'is not a device of the device group'));
  });

  test('sets the headers of the rate limit, also on a refusal', async () => {
    for (const answer of [await create({}), await create({ name: '' })]) {
      expect(answer.headers.get('x-ratelimit-limit')).toBe('60');
      expect(Number(answer.headers.get('x-ratelimit-remaining'))).toBeLessThan(60);
      const reset = Number(answer.headers.get('x-ratelimit-reset'));
      expect(reset % 60).toBe(0);
    }
  });
});

describe('The destination of POST /v3/jobs/create', () => {
  const [first, , partner = first] = clients('create-job');
  const { deviceGroupId } = fleetOf(partner);

  const create = (fields: object) =>
    partner.call('POST /v3/jobs/create', { body: { name: 'Alarm', deviceGroupId, ...fields } });

  const place = { type: 'Point', coordinates: [8.5417, 47.3769] };

  test.each([
    ['a place', { desiredLocation: place, actionOnArrival: 'HOVER' }],
    ['a place with an altitude', { desiredLocation: { ...place, coordinates: [8.5417, 47.3769, 520.5] } }],
    ['a place that is nearly 0, 0', { desiredLocation: { ...place, coordinates: [2.9e-266, 0, -3.4e-209] } }],
    ['a place at a pole, beside 180°', { desiredLocation: { ...place, coordinates: [-180, 90] } }],
    [
      'a circle',
      {
        desiredLocation: place,
        actionOnArrival: 'ORBIT',
        flight: { height: 40, speed: 12.5, orbitRadius: 30, holdSeconds: 120 },
      },
    ],
    ['a mission from a place', { desiredLocation: place, actionOnArrival: 'MISSION', missionId: 'mission-42' }],
    ['a mission with a height', { missionId: 'mission-42', flight: { height: 80 } }],
  ])('stores %s unchanged', async (_, fields) => {
    const { jobId } = await givenJob(partner, fields);
    expect(await jobNow(partner, jobId)).toMatchObject(fields);
  });

  test('says what a place alone means: to hover there', async () => {
    const { jobId } = await givenJob(partner, { desiredLocation: place });
    expect(await jobNow(partner, jobId)).toMatchObject({ actionOnArrival: 'HOVER' });
  });

  test.each<[string, string, object]>([
    ['no point', 'desiredLocation.type', { desiredLocation: { coordinates: [8, 47] } }],
    ['a line for a point', 'desiredLocation.type', { desiredLocation: { ...place, type: 'LineString' } }],
    ['one coordinate', 'desiredLocation.coordinates', { desiredLocation: { ...place, coordinates: [8] } }],
    ['four coordinates', 'desiredLocation.coordinates', { desiredLocation: { ...place, coordinates: [8, 47, 1, 2] } }],
    ['a latitude of 91', 'desiredLocation.coordinates.1', { desiredLocation: { ...place, coordinates: [8, 91] } }],
    ['a longitude of 181', 'desiredLocation.coordinates.0', { desiredLocation: { ...place, coordinates: [181, 4] } }],
    ['a text for a number', 'desiredLocation.coordinates.0', { desiredLocation: { ...place, coordinates: ['8', 4] } }],
    [
      'an altitude of null',
      'desiredLocation.coordinates.2',
      { desiredLocation: { ...place, coordinates: [8, 4, null] } },
    ],
    ['an unknown field of a place', 'desiredLocation.crs', { desiredLocation: { ...place, crs: 'EPSG:2056' } }],
    ['an unknown action', 'actionOnArrival', { desiredLocation: place, actionOnArrival: 'LAND' }],
    ['no location for HOVER', 'desiredLocation', { actionOnArrival: 'HOVER' }],
    ['no mission for MISSION', 'missionId', { desiredLocation: place, actionOnArrival: 'MISSION' }],
    [
      'an altitude and a height',
      'flight.height',
      { desiredLocation: { ...place, coordinates: [8, 47, 500] }, flight: { height: 40 } },
    ],
    ['a height of 501', 'flight.height', { desiredLocation: place, flight: { height: 501 } }],
    ['a speed of 0', 'flight.speed', { desiredLocation: place, flight: { speed: 0 } }],
    ['half a second', 'flight.holdSeconds', { desiredLocation: place, flight: { holdSeconds: 0.5 } }],
    ['an unknown setting', 'flight.altitude', { desiredLocation: place, flight: { altitude: 40 } }],
  ])('answers 400 and names the field for a destination with %s', async (_, path, fields) => {
    expect(await create(fields)).toMatchObject(invalidAt(path));
  });
});
