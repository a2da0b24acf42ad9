import { setTimeout as pause } from 'node:timers/promises';
import { signIn } from './api';
import { followSocket, followTopic, type Message } from './channels';
import { runningStack } from './stack';

/** A flight takes about 75 seconds. */
const PATIENCE = 180_000;

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`${what} did not happen`);
    await pause(50);
  }
}

/** Tells the whole story against the running stack, as it happens. @throws Error that says what went wrong */
export async function demo(): Promise<void> {
  const begun = Date.now();
  const line = (what: string) => console.log(`${((Date.now() - begun) / 1000).toFixed(1).padStart(6)} s  ${what}`);
  const stack = runningStack();
  const partner = await signIn(stack);
  line('token: signed in');
  const { resources = [] } = await partner.call('GET', '/v3/resources');
  line(`resources: ${resources.map(({ name, devices }) => `${name} with ${devices.length} devices`).join(', ')}`);
  const deviceGroupId = partner.partner.deviceGroups[0]?.deviceGroupId;
  const deviceId = resources[0]?.devices[0]?.deviceId;

  const { job } = await partner.call('POST', '/v3/jobs/create', { name: 'Demo flight', deviceGroupId, deviceId });
  const jobId = job?.jobId ?? '';
  line(`job: ${jobId} is ${job?.status ?? 'nowhere'}`);
  const states = { MQTTS: new Set<string>(), WSS: new Set<string>() };
  const hear = (over: keyof typeof states) => (heard: Message) => {
    const { jobState } = heard;
    if (jobState === undefined || states[over].has(jobState)) return;
    states[over].add(jobState);
    line(`${over}: the job is ${jobState}`);
  };
  let samples = 0;
  const count = ({ type }: Message) => {
    if (type === 'device.telemetry' && ++samples % 10 === 1) line(`telemetry: ${samples} samples`);
  };
  const follow = { action: 'subscribe', deviceId };
  const ends = [
    await followTopic(stack, partner, `${jobId}/JOB/STATUS`, hear('MQTTS')),
    await followSocket(stack, partner, `/v3/jobs/${jobId}/status/ws`, hear('WSS')),
    await followSocket(stack, partner, '/telemetry', count, follow),
  ];
  try {
    const wanted = { resourceId: deviceId, shareType: 'DEVICE_STATUS' };
    const { share } = await partner.call('POST', '/v3/streams/share', wanted);
    line(`share: ${share?.shareUrl ?? 'a link'}`);
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const second = await partner.call('POST', '/v3/jobs/create', { name: 'Second', deviceGroupId, scheduledAt });
    const cancelled = await partner.call('POST', `/v3/jobs/${second.job?.jobId ?? ''}/cancel`);
    line(`cancel: the second job is ${cancelled.job?.status ?? 'cancelled'}`);
    await until('The end of the job', () => Object.values(states).every((seen) => seen.has('COMPLETED')));
    if (samples === 0) throw new Error('no telemetry came');
    await partner.call('DELETE', `/v3/shares/${share?.shareCode ?? ''}`);
    line('revoke: the share is gone');
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
  line(`timeline: ${[...states.MQTTS].join(' → ')}, ${samples} samples of telemetry`);
}
