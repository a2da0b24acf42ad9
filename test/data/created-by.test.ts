import { inspect } from 'node:util';
import { changeOf } from '../../data/channels/stream-records';
import { insertJob, findStoredJob } from '../../data/jobs/jobs';
import { insertShare } from '../../data/shares/shares';
import { tableNames } from '../../domain/values/table';
import { platformEventOf } from '../../domain/platform/platform-event';
import { eventsBetween, snapshotOf } from '../../domain/channels/status-event';
import { acme, id, sampleJob, sampleShare } from '../domain/fixtures/samples';
import { storeOnEngine } from './fixtures/engine';
import { now, operations } from './fixtures/operations';
import { record } from './fixtures/stream-record';

const engine = storeOnEngine(...tableNames);
const creator = { organisation: acme, clientId: 'the-creator' };

const given = async () => {
  await insertJob(creator, sampleJob());
  await insertShare(creator, sampleShare());
  const [job = {}] = await engine.all('jobs');
  const [share = {}] = await engine.all('shares');
  return { job, share };
};

describe('Who created a job or a share', () => {
  test('is stored with it, for operators', async () => {
    const { job, share } = await given();
    expect([job['createdBy'], share['createdBy']]).toEqual(['the-creator', 'the-creator']);
    await expect(findStoredJob(acme, id('job'))).resolves.toMatchObject({ createdBy: 'the-creator' });
  });

  test.each(operations)('is not returned by %s', async (_, run) => {
    await given();
    const returned = await run().catch((error: unknown) => error);
    expect(inspect(returned, { depth: null })).not.toContain('the-creator');
  });

  test.each(['job', 'share'] as const)('is in no message and no event of a %s', async (kind) => {
    const item = (await given())[kind];
    const keys = { organisation: acme, ...(kind === 'job' ? { jobId: id('job') } : { shareCode: id('share') }) };
    const after = { ...item, version: 9, status: 'CANCELLED', currentViewers: 7 };
    const images = [
      [undefined, item],
      [item, after],
      [item, undefined],
    ] as const;
    for (const [before, later] of images) {
      const change = changeOf(record(keys, before, later));
      if (!change) throw new Error('the record has no change');
      const sent = [eventsBetween(change, now), snapshotOf(change, now), platformEventOf(change, now, () => 'digest')];
      expect(sent.flat().filter(Boolean).length).toBeGreaterThan(0);
      expect(JSON.stringify([change, sent])).not.toContain('the-creator');
    }
  });
});
