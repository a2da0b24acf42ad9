import { subscribeToTopic } from '../../bin/client/mqtt-subscription';
import { trustedCertificates } from '../../bin/client/credentials-file';
import { clients } from '../api/client';
import { readFacts } from '../api/stack/facts';

const [partner] = clients('mqtt-access');

test('a command that follows a topic with a refused token says what a token needs', async () => {
  const { mqttUrl, caFile } = readFacts();
  const { clientId } = partner.credentials;
  const subscription = { mqttUrl, ca: trustedCertificates(caFile), clientId, token: 'refused' };
  const topic = { clientIdSuffix: 'refused', topic: 'job-x/JOB/STATUS', onMessage: () => undefined };
  await expect(subscribeToTopic({ ...subscription, ...topic })).rejects.toThrow('valid for at least five more minutes');
});
