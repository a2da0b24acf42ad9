import { clients } from '../api/client';
import { givenJob } from '../api/given';
import { runProgram } from '../api/stack/aws-access';
import { secretsIn } from '../api/stack/running-stack';
import { publishPlatformEvent } from './platform-bus';
import { follow } from './socket';
import { until } from './until';

const [partner] = clients('trace');
const trace = (id: string) => runProgram('bin/trace.ts', id);

test('one identifier finds the whole way of a job, from its request to the last report', async () => {
  const { jobId } = await givenJob(partner);
  const socket = await follow(partner, { kind: 'job', id: jobId });
  await socket.first(1);
  // Events of the bus have no order, and a report that overtakes another one may wait for a minute.
  for (const [index, status] of ['QUEUED', 'IN_PROGRESS', 'COMPLETED'].entries()) {
    await publishPlatformEvent('job.status.reported', { jobId, status, at: new Date().toISOString() }, new Date());
    await socket.first(index + 2);
  }
  const told = await until('the line of the last change', async () => {
    const output = await trace(jobId);
    return output.includes('Nothing is missing') ? output : undefined;
  });
  const lines = told.split('\n').filter((line) => line.startsWith('20'));
  const count = (part: string) => lines.filter((line) => line.includes(part)).length;
  expect(count('request  POST /v3/jobs/create 201  version 1  client')).toBe(1);
  expect(count('platform told  job.created  version 1')).toBe(1);
  expect(count('reported')).toBe(3);
  expect(count('handshake')).toBe(1);
  for (const version of [1, 2, 3, 4]) expect(count(`published  version ${version}`)).toBe(1);
  expect(lines).toHaveLength(1 + 1 + 3 + 1 + 4);
  expect(told).toMatch(/Nothing is missing: the platform reported version 4, and it was published\.\n$/);
  expect(secretsIn(told)).toEqual([]);
});
