import { findChannels } from '../../../contract/channels/status-channels';
import { channelLog, isPublishedOn, parseLogItem } from '../../../data/events/log-items';
import { deviceMessage, jobMessage, shareMessage } from '../../../domain/channels/status-event';
import { acme, id, sampleDevice, sampleJob, sampleShare } from '../../domain/fixtures/samples';
import { command, event, group, job, now, ofGroup, ofJob } from './logged-events';

const share = { kind: 'share', id: id('share') } as const;
const anothers = [job, group, share].map(({ kind }) => ({ kind, id: id(kind, acme, 'another') }));
const at = now.toISOString();

test.each([
  ['the change of a job', event(1, ofJob, { message: JSON.stringify(jobMessage(sampleJob())) })],
  ['the change of a device', event(1, ofGroup, { message: JSON.stringify(deviceMessage(sampleDevice(), at)) })],
  ['the change of a share', event(1, channelLog(share), { message: JSON.stringify(shareMessage(sampleShare(), at)) })],
  ['the change of a command', command(1)],
  ['the change of a command without a job', command(1, { jobId: undefined })],
  [
    'the change of a command as earlier versions have logged it',
    { ...command(1), channel: ofGroup, secondChannel: ofJob },
  ],
])('%s is of the channels that its message is published on', (_, logged) => {
  const item = parseLogItem(logged);
  const found = [job, group, share, ...anothers].filter((channel) => isPublishedOn(channel, item));
  expect(found).toEqual(findChannels(JSON.parse(item.message) as Parameters<typeof findChannels>[0]));
});
