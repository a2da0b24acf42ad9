import { channelKinds, channelOfTopic, topicOf } from '../../../contract/channels/status-channels';
import { id } from '../../domain/fixtures/samples';

describe('channelOfTopic', () => {
  test.each(channelKinds)('returns the channel of the topic of a %s', (kind) => {
    const channel = { kind, id: id(kind) };
    expect(channelOfTopic(topicOf(channel))).toEqual(channel);
  });

  test.each([
    ['without a suffix', id('job')],
    ['with the suffix of another kind', `${id('job')}/SHARE/STATUS`],
    ['with a longer suffix', `${id('job')}/JOB/STATUS/x`],
    ['with a level too many', `${id('job')}/x/JOB/STATUS`],
    ['of something that is no identifier', 'job-acme0001-x/JOB/STATUS'],
    ['of a kind without channels', `${id('device')}/DEVICE/STATUS`],
    ['with a wildcard', `+/JOB/STATUS`],
    ['that is empty', ''],
  ])('returns undefined for a topic %s', (_, topic) => {
    expect(channelOfTopic(topic)).toBeUndefined();
  });
});
